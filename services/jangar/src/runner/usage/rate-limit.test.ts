import { describe, expect, test } from 'vitest'
import type { AdapterName } from '../../run-contract/runner-spec.ts'
import { readerOf } from './adapter.ts'
import { createUsageMeter } from './usage-meter.ts'

function rateLimit(adapter: AdapterName, events: readonly object[]) {
  const meter = createUsageMeter(readerOf(adapter))
  for (const event of events) meter.line(JSON.stringify(event))
  return meter.rateLimit()
}

function geminiLimit(told: string) {
  const advice =
    'Please wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method'
  const error = { type: 'unknown', message: `[API Error: ${told}]\n${advice}` }
  return { type: 'result', status: 'error', error, stats: { total_tokens: 0 } }
}

// As codex 0.166, claude-code 2.1.325, opencode 1.18.33 and gemini-cli 0.61 print them, shortened.
const codexLimit = {
  type: 'turn.failed',
  error: { message: 'exceeded retry limit, last status: 429 Too Many Requests' },
}
const claudeRetry = {
  type: 'system',
  subtype: 'api_retry',
  attempt: 1,
  retry_delay_ms: 7000,
  error_status: 429,
  error: 'rate_limit',
}
const claudeLimit = {
  type: 'result',
  is_error: true,
  api_error_status: 429,
  result: 'API Error: Request rejected (429) · Rate limit reached.',
}
const opencodeLimit = {
  type: 'error',
  error: {
    name: 'APIError',
    data: {
      message: 'Rate limit reached.',
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '7' },
    },
  },
}
interface Row {
  readonly because: string
  readonly adapter: AdapterName
  readonly events: readonly object[]
  readonly is: object | undefined
}

const rows: readonly Row[] = [
  { because: 'codex gave up', adapter: 'codex', events: [codexLimit], is: {} },
  {
    because: 'codex says when to try again',
    adapter: 'codex',
    events: [{ type: 'error', message: 'Rate limit reached for m. Please try again in 1.898s.' }],
    is: { retryAfterSeconds: 2 },
  },
  {
    because: 'codex went on after a limit',
    adapter: 'codex',
    events: [codexLimit, { type: 'item.completed', item: { type: 'agent_message', text: 'Hi' } }],
    is: undefined,
  },
  {
    because: 'codex failed for another reason in the end',
    adapter: 'codex',
    events: [codexLimit, { type: 'turn.failed', error: { message: 'stream closed' } }],
    is: undefined,
  },
  { because: 'claude gave up', adapter: 'claude-code', events: [claudeLimit], is: {} },
  {
    because: 'claude reported the wait with its requests',
    adapter: 'claude-code',
    events: [claudeRetry, claudeLimit],
    is: { retryAfterSeconds: 7 },
  },
  {
    because: 'claude went on after a limit',
    adapter: 'claude-code',
    events: [claudeRetry, { type: 'result', is_error: false, result: 'Done.' }],
    is: undefined,
  },
  {
    because: 'an older claude has no field for the status',
    adapter: 'claude-code',
    events: [{ type: 'result', is_error: true, result: 'API Error: 429 {"type":"error"}' }],
    is: {},
  },
  {
    because: 'the result of claude only mentions a limit',
    adapter: 'claude-code',
    events: [{ type: 'result', is_error: false, result: 'status 429 is handled now' }],
    is: undefined,
  },
  {
    because: 'opencode shows the headers',
    adapter: 'opencode',
    events: [opencodeLimit],
    is: { retryAfterSeconds: 7 },
  },
  {
    because: 'gemini gave up',
    adapter: 'gemini-cli',
    events: [geminiLimit('Resource has been exhausted (e.g. check quota).')],
    is: {},
  },
  {
    because: 'gemini says when to try again',
    adapter: 'gemini-cli',
    events: [geminiLimit('You exceeded your current quota. Please retry in 34.07s.')],
    is: { retryAfterSeconds: 35 },
  },
  {
    because: 'gemini shows the response of the service',
    adapter: 'gemini-cli',
    events: [
      {
        type: 'error',
        message: '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","retryDelay": "9s"}}',
      },
    ],
    is: { retryAfterSeconds: 9 },
  },
  {
    because: 'a wrong key is no limit',
    adapter: 'codex',
    events: [{ type: 'turn.failed', error: { message: 'last status: 401 Unauthorized' } }],
    is: undefined,
  },
  {
    because: 'a number alone is no status',
    adapter: 'codex',
    events: [{ type: 'turn.failed', error: { message: 'line 429 of the file is too long' } }],
    is: undefined,
  },
  {
    because: 'a wait that no one can mean is left out',
    adapter: 'opencode',
    events: [
      {
        type: 'error',
        error: { name: 'E', data: { statusCode: 429, responseHeaders: { 'retry-after': '1e99' } } },
      },
    ],
    is: {},
  },
  {
    because: 'a program without an adapter reports nothing',
    adapter: 'plain',
    events: [codexLimit],
    is: undefined,
  },
]

describe('a rate limit', () => {
  test.each(rows)('$adapter: $because', ({ adapter, events, is }) => {
    expect(rateLimit(adapter, events)).toEqual(is)
  })

  test('is not found beyond the beginning of an error of any length', () => {
    const message = 'try again in '.repeat(1_000_000)
    expect(rateLimit('codex', [{ type: 'error', message }])).toBeUndefined()
  })
})
