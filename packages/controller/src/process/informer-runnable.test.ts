import type { Informer, KubeObject } from '@agents/kube'
import { expect, test } from 'vitest'
import { informerCheck, informerRunnable } from './informer-runnable.ts'

const informer = (plural: string, synced: boolean) =>
  ({ kind: { plural }, hasSynced: () => synced }) as unknown as Informer<KubeObject>

test('caches are well when all have synced, and the check names those that have not', () => {
  const check = (...informers: Informer<KubeObject>[]) => {
    const { signal } = new AbortController()
    return informerCheck({ all: () => informers })(signal)
  }
  expect(() => check(informer('pods', true))).not.toThrow()
  expect(() => check(informer('pods', true), informer('jobs', false))).toThrow('not synced: jobs')
})

test('caches start when they have synced and stop with the signal', async () => {
  const log: string[] = []
  const runnable = informerRunnable({
    waitForSync: async ({ timeoutMs } = {}) => void log.push(`synced within ${timeoutMs}`),
    stop: async () => void log.push('stopped'),
  })
  const control = new AbortController()
  await runnable.start?.(control.signal)
  const running = runnable.run(control.signal)
  expect(log).toEqual(['synced within 120000'])
  control.abort()
  await running
  expect(log).toEqual(['synced within 120000', 'stopped'])
})
