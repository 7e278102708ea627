import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunResult } from './run-result.ts'
import {
  formatTerminationMessage,
  longestTerminationMessage,
  parseTerminationMessage,
} from './termination-message.ts'

const result: RunResult = {
  outcome: 'succeeded',
  reason: 'Succeeded',
  message: 'done',
  exitCode: 0,
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:00:01.000Z',
  usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12, dollars: '0.5' },
  artifacts: [{ name: 'patch', path: '/workspace/a.patch', bytes: 3, sha256: 'ab' }],
  missingArtifacts: [],
  outputs: { branch: 'x' },
  vcs: {
    repository: 'example-org/example',
    headBranch: 'agents/demo',
    pushed: true,
    pullRequest: { number: 7, url: 'https://git.example.com/pull/7' },
  },
}

describe('a termination message', () => {
  test('contains what the controller writes to the status', () => {
    expect(parseTerminationMessage(formatTerminationMessage(result))).toEqual({
      outcome: 'succeeded',
      reason: 'Succeeded',
      message: 'done',
      exitCode: 0,
      startedAt: result.startedAt,
      finishedAt: result.finishedAt,
      usage: result.usage,
      artifacts: [{ name: 'patch', path: '/workspace/a.patch' }],
      outputs: result.outputs,
      vcs: result.vcs,
    })
  })

  test.each([
    {
      because: 'a long message is shortened, the rest stays',
      change: { message: 'x'.repeat(10_000) },
      truncated: ['message'],
    },
    {
      because: 'many artifacts are fewer',
      change: { artifacts: Array.from({ length: 200 }, (_, i) => ({ name: `artifact ${i}` })) },
      truncated: ['artifacts'],
    },
    {
      because: 'outputs are all there or not at all',
      change: { outputs: { a: 'x'.repeat(5000) } },
      truncated: ['artifacts', 'vcs', 'outputs'],
    },
  ])('$because', ({ change, truncated }) => {
    const message = parseTerminationMessage(formatTerminationMessage({ ...result, ...change }))
    expect(message).toMatchObject({ outcome: 'succeeded', usage: result.usage, truncated })
    expect(message?.vcs?.pullRequest?.url).toBe(result.vcs?.pullRequest?.url)
  })

  test('keeps the largest models if it has no room for all', () => {
    const models = Array.from({ length: 8 }, (_, at) => ({
      model: `${'m'.repeat(98)}${at}`,
      ...{
        inputTokens: at,
        cachedInputTokens: 0,
        outputTokens: 2 ** 40,
        totalTokens: 2 ** 40 + at,
      },
    }))
    const usage = { ...result.usage, models }
    const whole = parseTerminationMessage(formatTerminationMessage({ ...result, usage }))
    expect(whole?.usage).toEqual(usage)
    const summary = 's'.repeat(3000)
    const long = { ...result, usage, summary, outputs: { a: 'x'.repeat(1800) } }
    const cut = parseTerminationMessage(formatTerminationMessage(long))
    expect(cut?.truncated).toContain('models')
    expect(cut?.outputs).toEqual(long.outputs)
    expect(cut?.usage?.models?.map(({ inputTokens }) => inputTokens)).toEqual([7, 6, 5])
    expect(cut?.usage).toMatchObject(result.usage ?? {})
  })

  test('fits and can be read, whatever it holds', () => {
    const unit = fc.constantFrom('a', '"', '\\', '\n', '\0', 'é', '😀', '\ud800')
    const wild = fc
      .tuple(fc.string({ unit, maxLength: 8 }), fc.nat(300))
      .map(([some, times]) => some.repeat(times))
    fc.assert(
      fc.property(
        wild,
        fc.array(fc.record({ name: wild, path: wild, url: wild }), { maxLength: 12 }),
        fc.dictionary(wild, wild, { maxKeys: 5 }),
        wild,
        (message, artifacts, outputs, url) => {
          const text = formatTerminationMessage({
            ...result,
            message,
            artifacts: artifacts.map((each) => ({ ...each, name: `n${each.name}` })),
            outputs,
            vcs: { repository: url, headBranch: message, pushed: false, pullRequest: { url } },
          })
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestTerminationMessage)
          expect(parseTerminationMessage(text)).toMatchObject({ exitCode: 0, usage: result.usage })
        },
      ),
    )
  })

  test.each(['', 'panic: out of luck', '{}', '{"outcome":"great"}', '[]', 'null'])(
    'is not what other programs leave: %j',
    (text) => {
      expect(parseTerminationMessage(text)).toBeUndefined()
    },
  )
})
