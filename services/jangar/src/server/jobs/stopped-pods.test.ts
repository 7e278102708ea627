import type { ChangeHandlers, ResourceCache } from '@agents/controller'
import type { Pod } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { stoppedPods } from './stopped-pods.ts'

function pod(job: string, is: { deleted?: boolean; ended?: boolean }): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: job,
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: job, uid: job, controller: true },
      ],
      ...(is.deleted && { deletionTimestamp: '2026-01-01T12:00:00Z' }),
    },
    spec: { containers: [] },
    status: {
      containerStatuses: [
        {
          name: 'agent-runner',
          ready: false,
          restartCount: 0,
          state: is.ended ? { terminated: { exitCode: 143 } } : { running: {} },
        },
      ],
    },
  }
}

function setUp(cached: readonly Pod[] = []) {
  const handlers: ChangeHandlers<Pod>[] = []
  const cache = {
    subscribe: (given: ChangeHandlers<Pod>) => void handlers.push(given),
    byIndex: (_: string, uid: string) => cached.filter(({ metadata }) => metadata.name === uid),
  } as unknown as ResourceCache<Pod>
  const stopped = stoppedPods(cache)
  return {
    stopped,
    change: (before: Pod, after: Pod) => {
      for (const one of handlers) one.onUpdate(before, after)
    },
    remove: (last: Pod) => {
      for (const one of handlers) one.onDelete(last)
    },
  }
}

describe('the pod of a Job that is gone', () => {
  const deleted = pod('a', { deleted: true })
  const ended = pod('a', { deleted: true, ended: true })

  test('is known by its end, also after it was deleted', () => {
    const { stopped, change, remove } = setUp()
    change(deleted, ended)
    remove(ended)
    expect(stopped.of('a')).toBe(ended)
    expect(stopped.of('b')).toBeUndefined()
  })

  test('is known if its end was seen with its deletion only', () => {
    const { stopped, remove } = setUp()
    remove(ended)
    expect(stopped.of('a')).toBe(ended)
  })

  test('is expected while it is being deleted', () => {
    expect(setUp([deleted]).stopped.of('a')).toBe('expected')
  })

  test('is not expected if nobody deletes it, or if it was deleted without an end', () => {
    expect(setUp([pod('a', {})]).stopped.of('a')).toBeUndefined()
    const { stopped, remove } = setUp()
    remove(deleted)
    expect(stopped.of('a')).toBeUndefined()
  })

  test.each([
    { because: 'a kind of another group', change: { apiVersion: 'example.com/v1' } },
    { because: 'another kind', change: { kind: 'CronJob' } },
    { because: 'a further owner', change: { controller: false } },
  ])('is not one that names the Job as $because', ({ change: forged }) => {
    const forge = (from: Pod): Pod => {
      const [owner] = from.metadata.ownerReferences ?? []
      const ownerReferences = owner && [{ ...owner, ...forged }]
      return {
        ...from,
        metadata: { ...from.metadata, ...(ownerReferences && { ownerReferences }) },
      }
    }
    expect(setUp([forge(deleted)]).stopped.of('a')).toBeUndefined()
    const { stopped, remove } = setUp()
    remove(forge(ended))
    expect(stopped.of('a')).toBeUndefined()
  })

  test('is not kept if it ended by itself: its Job has that', () => {
    const { stopped, change } = setUp()
    change(pod('a', {}), pod('a', { ended: true }))
    expect(stopped.of('a')).toBeUndefined()
  })

  test('is forgotten when a thousand others were stopped', () => {
    const { stopped, remove } = setUp()
    remove(ended)
    for (let at = 0; at < 1000; at++) remove(pod(`other-${at}`, { deleted: true, ended: true }))
    expect(stopped.of('a')).toBeUndefined()
    expect(stopped.of('other-0')).toBeDefined()
  })
})
