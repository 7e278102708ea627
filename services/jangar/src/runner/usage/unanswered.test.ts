import { describe, expect, test } from 'vitest'
import { createHarness, shell } from '../testing/runner-harness.ts'

const starting = { event: 'message_send_starting', properties: {} }

function sent(completion_tokens: number) {
  return { event: 'message_send', properties: { prompt_tokens: 10, completion_tokens, cost: 0 } }
}

/** A program that writes the log of aider, prints a line and ends with exit code 0. */
function aider(events: readonly object[], line = 'done') {
  const log = events.map((event) => `echo '${JSON.stringify(event)}' >> "$AIDER_ANALYTICS_LOG"`)
  return createHarness().run({
    runner: { cli: 'aider' },
    argv: shell([...log, `echo '${line}'`].join('; ')),
  })
}

describe('aider, which ends with exit code 0 whatever happens', () => {
  test.each([
    { because: 'it has an answer', events: [starting, sent(5)] },
    { because: 'its last request has one', events: [starting, starting, sent(5)] },
    { because: 'it asked nothing', events: [{ event: 'launched' }] },
    { because: 'it keeps no log', events: [] },
  ])('succeeds: $because', async ({ events }) => {
    const ran = await aider(events, 'litellm.AuthenticationError: the model quotes an error')
    expect(ran.message).toMatchObject({ outcome: 'succeeded' })
  })

  test.each([
    { because: 'its model refused the request', events: [starting] },
    { because: 'its second request has no answer', events: [starting, sent(5), starting] },
    { because: 'the request was too large', events: [starting, sent(0)] },
  ])('fails with the cause: $because', async ({ events }) => {
    const ran = await aider(
      events,
      'litellm.AuthenticationError: OpenAIException - the key is wrong',
    )
    expect(ran.message).toMatchObject({ outcome: 'failed', reason: 'ProgramFailed' })
    expect(ran.message?.message).toMatch(
      /ended without an answer of its model: .*the key is wrong$/,
    )
    expect(ran.exitCode).not.toBe(0)
  })

  test('fails with the error of its own log', async () => {
    const failed = { event: 'message_send_exception', properties: { exception: 'no such file' } }
    const ran = await aider([starting, failed])
    expect(ran.message?.message).toMatch(/: no such file$/)
  })

  test('is rate limited when its model says so', async () => {
    const line = 'litellm.RateLimitError: OpenAIException - slow down, try again in 7s'
    const ran = await aider([starting], line)
    expect(ran.message).toMatchObject({ reason: 'RateLimited', retryAfterSeconds: 7 })
  })
})
