import { describe, expect, test } from 'vitest'
import { resolveWork } from './resolve-work.ts'
import { agent, portsWith, runOf, workflow } from './testing/resolution-fixture.ts'

const ofAgent = { retryLimit: 2, retryBackoffSeconds: 3, retryOn: ['Evicted'], timeoutSeconds: 9 }

function limitsOf(spec: Readonly<Record<string, unknown>>, defaults: object) {
  const run = runOf(spec)
  const ports = portsWith([agent({ defaults }), run])
  const resolution = resolveWork(run, run.spec.workflow?.steps[0], ports)
  if (resolution.kind !== 'resolved') throw new Error(resolution.message)
  const { retries, retryBackoffSeconds, retryOn, timeoutSeconds } = resolution.work
  return [retries, retryBackoffSeconds, retryOn, timeoutSeconds]
}

describe('retries of a run', () => {
  test.each([
    { because: 'nothing is specified', own: {}, defaults: {}, is: [0, 0, undefined, 0] },
    { because: 'its agent specifies them', own: {}, defaults: ofAgent, is: [2, 3, ['Evicted'], 9] },
    {
      because: 'it specifies them itself',
      own: { retries: 0, retryOn: ['Timeout', 'RateLimited'] },
      defaults: ofAgent,
      is: [0, 3, ['Timeout', 'RateLimited'], 9],
    },
  ])('$because', ({ own, defaults, is }) => {
    expect(limitsOf(own, defaults)).toEqual(is)
  })
})

describe('retries of a step, whose timeout is its own', () => {
  test.each([
    { because: 'its agent specifies them', step: {}, own: {}, is: [2, 3, ['Evicted'], 0] },
    {
      because: 'its run specifies them',
      step: {},
      own: { retries: 5, retryBackoffSeconds: 6, retryOn: ['Timeout'], timeoutSeconds: 99 },
      is: [5, 6, ['Timeout'], 0],
    },
    {
      because: 'its run specifies none',
      step: {},
      own: { retries: 0, retryBackoffSeconds: 0 },
      is: [0, 0, ['Evicted'], 0],
    },
    {
      because: 'it specifies them itself, also if there are none',
      step: { retries: 0, retryBackoffSeconds: 0, retryOn: ['Error'] },
      own: { retries: 5, retryBackoffSeconds: 6, retryOn: ['Timeout'] },
      is: [0, 0, ['Error'], 0],
    },
  ])('$because', ({ step, own, is }) => {
    expect(limitsOf({ ...workflow({ name: 's', ...step }), ...own }, ofAgent)).toEqual(is)
  })
})
