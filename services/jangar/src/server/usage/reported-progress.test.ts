import { describe, expect, test } from 'vitest'
import type { Usage } from '../../run-contract/usage.ts'
import { type Progress, reportedProgress } from './reported-progress.ts'

const now = new Date('2026-01-01T00:00:00Z')

function progressAfter(...reports: readonly Usage[]): Progress | undefined {
  let progress: Progress | undefined
  for (const report of reports)
    progress = reportedProgress(progress, 'job', report, now) ?? progress
  return progress
}

function report(totalTokens: number, ...models: readonly string[]): Usage {
  const each = totalTokens / models.length
  return {
    totalTokens,
    ...(models.length > 0 && { models: models.map((model) => ({ model, totalTokens: each })) }),
  }
}

describe('models in reports of an attempt', () => {
  test('are those of the report with the largest total, in whatever order reports arrive', () => {
    const [first, second] = [report(10, 'a'), report(20, 'a', 'b')]
    expect(progressAfter(first, second)?.models).toEqual(second.models)
    expect(progressAfter(second, first)?.models).toEqual(second.models)
    expect(reportedProgress(progressAfter(second), 'job', second, now)).toBeUndefined()
  })

  test('never sum up two reports, if the agent changes its mind about the model', () => {
    expect(progressAfter(report(10, 'a'), report(12, 'b'))?.models).toEqual(report(12, 'b').models)
  })

  test('are kept if a later report has none, and are news if an earlier one had none', () => {
    expect(progressAfter(report(10, 'a'), report(20))?.models).toEqual(report(10, 'a').models)
    expect(progressAfter(report(10), report(10, 'a'))?.models).toEqual(report(10, 'a').models)
  })

  test('of another attempt do not count', () => {
    expect(
      reportedProgress(progressAfter(report(10, 'a')), 'next', report(5), now)?.models,
    ).toBeUndefined()
  })
})
