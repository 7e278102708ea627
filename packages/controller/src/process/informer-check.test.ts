import type { Informer, KubeObject } from '@agents/kube'
import { expect, test } from 'vitest'
import { informerCheck } from './informer-check.ts'

function informer(plural: string, synced: boolean) {
  return { kind: { plural }, hasSynced: () => synced } as unknown as Informer<KubeObject>
}

test('the check passes when all caches have synced, and names those that have not', () => {
  const check = (...informers: Informer<KubeObject>[]) => {
    const { signal } = new AbortController()
    return informerCheck({ all: () => informers })(signal)
  }
  expect(() => check(informer('pods', true))).not.toThrow()
  expect(() => check(informer('pods', true), informer('jobs', false))).toThrow('not synced: jobs')
})
