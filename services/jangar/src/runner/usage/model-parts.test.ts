import { describe, expect, test } from 'vitest'
import type { AdapterName } from '../../run-contract/runner-spec.ts'
import { readerOf } from './adapter.ts'
import { claudeCodeLog } from './claude-code.ts'
import { codexLog } from './codex.ts'
import { createUsageMeter } from './usage-meter.ts'

function usageIn(reader: Parameters<typeof createUsageMeter>[0], events: readonly unknown[]) {
  const meter = createUsageMeter(reader)
  for (const event of events) meter.line(JSON.stringify(event))
  return meter.usage()
}

function printed(adapter: AdapterName, ...events: readonly unknown[]) {
  return usageIn(readerOf(adapter), events)
}

function claudeResult(session_id: string, models: Record<string, number>) {
  const counts = Object.entries(models).map(([name, tokens]) => [
    name,
    { inputTokens: tokens, cacheReadInputTokens: tokens, outputTokens: 1, costUSD: 1 },
  ])
  return { type: 'result', session_id, modelUsage: Object.fromEntries(counts) }
}

function part(model: string, inputTokens: number, outputTokens: number, rest: object = {}) {
  return { model, inputTokens, ...rest, outputTokens, totalTokens: inputTokens + outputTokens }
}

describe('the part of each model', () => {
  test('Claude Code reports it, and conversations add up by model', () => {
    const big = { 'claude-opus': 100, 'claude-haiku': 3 }
    const usage = printed('claude-code', claudeResult('a', big), claudeResult('b', big))
    expect(usage?.totalTokens).toBe(416)
    expect(usage?.models).toEqual([
      part('claude-opus', 400, 2, { cachedInputTokens: 200 }),
      part('claude-haiku', 12, 2, { cachedInputTokens: 6 }),
    ])
  })

  test('a result that is printed twice counts once', () => {
    const result = claudeResult('a', { 'claude-opus': 100 })
    expect(printed('claude-code', result, result)).toEqual(printed('claude-code', result))
  })

  test('Claude Code names the model of each message in its log', () => {
    const message = (id: string, model: string, input_tokens: number) => ({
      type: 'assistant',
      message: { id, model, usage: { input_tokens, output_tokens: 1 } },
    })
    const first = message('1', 'claude-opus', 10)
    const usage = usageIn(claudeCodeLog, [first, first, message('2', 'claude-haiku', 5)])
    expect(usage?.models).toEqual([part('claude-opus', 10, 1), part('claude-haiku', 5, 1)])
  })

  test('Codex names the model of each turn in its log, and counts in running totals', () => {
    const turn = (model: string) => ({ type: 'turn_context', payload: { model } })
    const total = (input_tokens: number, output_tokens: number) => ({
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: { total_token_usage: { input_tokens, output_tokens } },
      },
    })
    const events = [turn('gpt-a'), total(10, 1), total(10, 1), turn('gpt-b'), total(40, 5)]
    const usage = usageIn(codexLog, [...events, turn('gpt-a'), total(50, 6)])
    expect(usage?.totalTokens).toBe(56)
    expect(usage?.models).toEqual([part('gpt-b', 30, 4), part('gpt-a', 20, 2)])
  })

  test('Gemini CLI reports it beside its totals', () => {
    const usage = printed('gemini-cli', {
      type: 'result',
      stats: {
        ...{ total_tokens: 40, input_tokens: 30, output_tokens: 5, cached: 10 },
        models: {
          pro: { total_tokens: 30, input_tokens: 25, output_tokens: 4, cached: 10, input: 15 },
          flash: { total_tokens: 10, input_tokens: 5, output_tokens: 1, cached: 0, input: 5 },
        },
      },
    })
    expect(usage).toMatchObject({ inputTokens: 30, outputTokens: 5, totalTokens: 40 })
    expect(usage?.models).toEqual([
      { ...part('pro', 25, 4, { cachedInputTokens: 10 }), totalTokens: 30 },
      { ...part('flash', 5, 1, { cachedInputTokens: 0 }), totalTokens: 10 },
    ])
  })

  test.each([
    { model: 'gpt-4o', models: [part('gpt-4o', 20, 2)] },
    { model: 'openai/REDACTED', models: undefined },
    { model: undefined, models: undefined },
  ])('Aider names it with each exchange: $model', ({ model, models }) => {
    const properties = { prompt_tokens: 10, completion_tokens: 1, main_model: model }
    const sent = { event: 'message_send', properties }
    expect(printed('aider', sent, sent)?.models).toEqual(models)
  })

  test.each([
    { because: 'a name with a blank', name: 'a model' },
    { because: 'a name that is too long', name: 'x'.repeat(101) },
    { because: 'no name', name: '' },
    { because: 'another line', name: 'a\nb' },
  ])('is not shown of $because, whose tokens stay in the total', ({ name }) => {
    const usage = printed('claude-code', claudeResult('a', { [name]: 100, good: 1 }))
    expect(usage).toMatchObject({ totalTokens: 204, models: [{ model: 'good' }] })
  })

  test('is that of the largest models, if there are many', () => {
    const names = Array.from({ length: 50 }, (_, at) => [`model-${at}`, at + 1])
    const usage = printed('claude-code', claudeResult('a', Object.fromEntries(names)))
    expect(usage?.models).toHaveLength(8)
    expect(usage?.models?.[0]?.model).toBe('model-49')
    expect(usage?.totalTokens).toBe(2 * 1275 + 50)
  })
})
