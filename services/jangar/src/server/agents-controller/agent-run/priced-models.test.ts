import type { AgentRun } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { Prices } from '../../budgets/prices.ts'
import { agentRunWork } from './agent-run-work.ts'

const prices = new Prices({
  big: { input: 10, cachedInput: 1, output: 100 },
  small: { input: 1, output: 2 },
})

type Usage = NonNullable<NonNullable<AgentRun['status']>['usage']>

function work(usage: Usage | undefined, model?: string, progress?: Usage) {
  const run = {
    metadata: { name: 'a', namespace: 'n', uid: 'u' },
    spec: { agentRef: { name: 'a' }, runtime: { type: 'job' }, parameters: model && { model } },
    status: { usage, progress },
  } as unknown as AgentRun
  const { used, models } = agentRunWork(run, undefined, prices, false)
  return { used, models }
}

function tokens(inputTokens: number, outputTokens: number, rest: object = {}) {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...rest }
}

describe('the price of what a run has used', () => {
  test('is that of each model, and no token counts twice', () => {
    const models = [
      { model: 'big', ...tokens(100, 10, { cachedInputTokens: 50 }) },
      { model: 'small', ...tokens(20, 5) },
    ]
    expect(work({ ...tokens(120, 15, { cachedInputTokens: 50 }), models }, 'big')).toEqual({
      used: { tokens: 135, dollars: 500 + 50 + 1000 + 20 + 10, unpriced: 0 },
      models: [
        { model: 'big', tokens: 110, dollars: 1550, unpriced: 0 },
        { model: 'small', tokens: 25, dollars: 30, unpriced: 0 },
      ],
    })
  })

  test('is that of the model of the run, as far as the agent names none', () => {
    const some = [{ model: 'small', ...tokens(20, 0) }]
    expect(work({ ...tokens(50, 0), models: some }, 'big')).toMatchObject({
      used: { tokens: 50, dollars: 20 + 300 },
      models: [
        { model: 'small', tokens: 20 },
        { model: 'big', tokens: 30 },
      ],
    })
    expect(work(tokens(50, 0), 'small').models).toEqual([
      { model: 'small', tokens: 50, dollars: 50, unpriced: 0 },
    ])
    expect(work(tokens(50, 0))).toEqual({
      used: { tokens: 50, dollars: 0, unpriced: 50 },
      models: [],
    })
  })

  test('parts that exceed the total are cut', () => {
    const models = [
      { model: 'big', ...tokens(1000, 0) },
      { model: 'small', ...tokens(1000, 1000) },
    ]
    expect(work({ ...tokens(30, 5), models })).toMatchObject({
      used: { tokens: 35 },
      models: [
        { model: 'big', tokens: 30 },
        { model: 'small', tokens: 5 },
      ],
    })
  })

  test('adds the attempt that runs to those that ended, by model', () => {
    const models = [{ model: 'small', ...tokens(10, 1) }]
    const usage = { ...tokens(10, 1), models }
    expect(work(usage, undefined, usage)).toEqual({
      used: { tokens: 22, dollars: 24, unpriced: 0 },
      models: [{ model: 'small', tokens: 22, dollars: 24, unpriced: 0 }],
    })
  })

  test('a model without a price counts tokens alone', () => {
    const models = [
      { model: 'big', ...tokens(10, 0) },
      { model: 'other', ...tokens(7, 0) },
    ]
    const expected = { tokens: 17, dollars: 100, unpriced: 7 }
    expect(work({ ...tokens(17, 0), models }, 'big').used).toEqual(expected)
    expect(work({ ...tokens(17, 0), models }).used).toEqual(expected)
  })

  test('the price of an alias is that of the models that it stands for', () => {
    const models = [{ model: 'small-2026-01-01', ...tokens(10, 0) }]
    expect(work({ ...tokens(10, 0), models }, 'small').used).toEqual({
      ...{ tokens: 10, dollars: 10, unpriced: 0 },
    })
  })
})
