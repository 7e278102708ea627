import { describe, expect, test } from 'vitest'
import type { AdapterName } from '../../run-contract/runner-spec.ts'
import { guessAdapter, readerOf } from './adapter.ts'
import { createUsageMeter } from './usage-meter.ts'

function meter(adapter: AdapterName, lines: readonly unknown[]) {
  const subject = createUsageMeter(readerOf(adapter))
  for (const line of lines) subject.line(typeof line === 'string' ? line : JSON.stringify(line))
  return { usage: subject.usage(), summary: subject.summary() }
}

describe('what the programs print', () => {
  test('Codex reports running totals of a thread, cached tokens within the input', () => {
    expect(
      meter('codex', [
        { type: 'thread.started', thread_id: 't1' },
        { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 1 } },
        { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'Fixed.' } },
        {
          type: 'turn.completed',
          usage: { input_tokens: 30, cached_input_tokens: 20, output_tokens: 5 },
        },
      ]),
    ).toEqual({
      usage: { inputTokens: 30, cachedInputTokens: 20, outputTokens: 5, totalTokens: 35 },
      summary: 'Fixed.',
    })
  })

  test('Claude Code reports a result with its cost, cached tokens beside the input', () => {
    expect(
      meter('claude-code', [
        { type: 'system', subtype: 'init', session_id: 's' },
        {
          type: 'result',
          subtype: 'success',
          session_id: 's',
          result: 'Done.',
          total_cost_usd: 0.0312,
          usage: {
            input_tokens: 4,
            cache_creation_input_tokens: 100,
            cache_read_input_tokens: 1000,
            output_tokens: 50,
          },
        },
      ]),
    ).toEqual({
      usage: {
        inputTokens: 1104,
        cachedInputTokens: 1000,
        outputTokens: 50,
        totalTokens: 1154,
        dollars: '0.0312',
      },
      summary: 'Done.',
    })
  })

  test('Gemini CLI reports a result as the last event of its stream', () => {
    expect(
      meter('gemini-cli', [
        { type: 'init', session_id: 's', model: 'm' },
        { type: 'message', role: 'assistant', content: 'hi', delta: true },
        {
          type: 'result',
          status: 'success',
          stats: { total_tokens: 120, input_tokens: 90, output_tokens: 20 },
        },
      ]).usage,
    ).toEqual({ inputTokens: 90, outputTokens: 20, totalTokens: 120 })
  })

  test('Gemini CLI in its other format reports by model', () => {
    expect(
      meter('gemini-cli', [
        {
          response: 'Four.',
          stats: {
            models: {
              a: { tokens: { prompt: 10, candidates: 2, total: 15, cached: 3, thoughts: 3 } },
              b: { tokens: { prompt: 1, candidates: 1, total: 2 } },
            },
          },
        },
      ]),
    ).toEqual({
      usage: {
        ...{ inputTokens: 11, cachedInputTokens: 3, outputTokens: 6, totalTokens: 17 },
        models: [
          { model: 'a', inputTokens: 10, cachedInputTokens: 3, outputTokens: 5, totalTokens: 15 },
          { model: 'b', inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        ],
      },
      summary: 'Four.',
    })
  })

  test('two conversations of one run are added up', () => {
    const result = (session_id: string, total_cost_usd: number) => ({
      type: 'result',
      session_id,
      total_cost_usd,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
    expect(meter('claude-code', [result('a', 0.1), result('b', 0.2), result('b', 0.3)])).toEqual({
      usage: { inputTokens: 2, outputTokens: 2, totalTokens: 4, dollars: '0.4' },
    })
  })
})

test('OpenCode reports each step, cached tokens beside the input', () => {
  const step = (cost: number) => ({
    type: 'step_finish',
    part: {
      cost,
      tokens: { input: 600, output: 50, reasoning: 5, cache: { read: 400, write: 0 } },
    },
  })
  const said = { type: 'text', part: { text: 'Done.' } }
  expect(meter('opencode', [step(0.5), said, step(0.25)])).toEqual({
    usage: {
      inputTokens: 2000,
      cachedInputTokens: 800,
      outputTokens: 110,
      totalTokens: 2110,
      dollars: '0.75',
    },
    summary: 'Done.',
  })
})

test('Aider reports each exchange in its log', () => {
  const sent = {
    event: 'message_send',
    properties: { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050, cost: 0 },
    time: 1,
  }
  expect(meter('aider', [{ event: 'launched' }, sent, sent]).usage).toEqual({
    inputTokens: 2000,
    outputTokens: 100,
    totalTokens: 2100,
  })
})

describe('what no program should print', () => {
  test.each([
    { because: 'plain text', line: 'result' },
    { because: 'cut-off JSON', line: '{"type":"result"' },
    { because: 'no usage', line: { type: 'result' } },
    { because: 'usage of another shape', line: { type: 'result', usage: 'much' } },
    { because: 'null', line: { type: 'result', usage: null, stats: null } },
    { because: 'negative counts', line: { type: 'result', usage: { input_tokens: -1 } } },
    { because: 'fractions', line: { type: 'result', usage: { output_tokens: 1.5 } } },
    { because: 'a cost as text', line: { type: 'result', total_cost_usd: 'NaN' } },
    { because: 'a cost beyond all measure', line: { type: 'result', total_cost_usd: 1e300 } },
    { because: 'a list', line: '[{"type":"result"}]' },
  ])('is passed over: $because', ({ line }) => {
    for (const adapter of ['codex', 'claude-code', 'gemini-cli', 'plain'] as const) {
      expect(meter(adapter, [line]).usage).toBeUndefined()
    }
  })

  test('a plain program is not listened to', () => {
    const line = { type: 'result', usage: { input_tokens: 1, output_tokens: 1 } }
    expect(meter('plain', [line])).toEqual({})
  })
})

test.each([
  { binary: '/usr/local/bin/codex', adapter: 'codex' },
  { binary: 'claude', adapter: 'claude-code' },
  { binary: 'gemini', adapter: 'gemini-cli' },
  { binary: 'constructor', adapter: 'plain' },
  { binary: '/bin/sh', adapter: 'plain' },
])('$binary is taken for $adapter', ({ binary, adapter }) => {
  expect(guessAdapter(binary)).toBe(adapter)
})

describe('what the programs do', () => {
  test.each<{ adapter: AdapterName; because: string; lines: readonly unknown[]; expected: object }>(
    [
      {
        adapter: 'codex',
        because: 'each message is an answer, and each item that acts is a call',
        lines: [
          { type: 'item.started', item: { id: '1', type: 'command_execution' } },
          { type: 'item.completed', item: { id: '1', type: 'command_execution' } },
          { type: 'item.completed', item: { id: '2', type: 'reasoning', text: 'hm' } },
          { type: 'item.completed', item: { id: '3', type: 'agent_message', text: 'Fixed.' } },
        ],
        expected: { turns: 1, toolCalls: 1 },
      },
      {
        adapter: 'claude-code',
        because: 'the parts of a message are one answer',
        lines: [
          { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'a' }] } },
          { type: 'assistant', message: { id: 'm1', content: [{ type: 'tool_use' }] } },
          { type: 'assistant', message: { id: 'm1', content: [{ type: 'tool_use' }] } },
          { type: 'assistant', message: { id: 'm2', content: 'text' } },
        ],
        expected: { turns: 2, toolCalls: 2 },
      },
      {
        adapter: 'gemini-cli',
        because: 'pieces up to the next call are one answer',
        lines: [
          { type: 'message', role: 'assistant', content: 'I ', delta: true },
          { type: 'message', role: 'assistant', content: 'begin', delta: true },
          { type: 'tool_use', tool_name: 'write_file' },
          { type: 'message', role: 'assistant', content: 'Done', delta: true },
        ],
        expected: { turns: 2, toolCalls: 1 },
      },
      {
        adapter: 'opencode',
        because: 'each step is an answer',
        lines: [
          { type: 'tool_use', part: { type: 'tool' } },
          { type: 'step_finish', part: {} },
          { type: 'step_finish', part: { tokens: { input: 1, output: 1 } } },
        ],
        expected: { turns: 2, toolCalls: 1 },
      },
      {
        adapter: 'plain',
        because: 'it shows nothing',
        lines: [{ type: 'tool_use' }],
        expected: {},
      },
    ],
  )('$adapter: $because', ({ adapter, lines, expected }) => {
    const subject = createUsageMeter(readerOf(adapter))
    for (const line of lines) subject.line(JSON.stringify(line))
    expect(subject.activity()).toEqual(expected)
  })
})
