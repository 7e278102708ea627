import { type Job, KubeError, type KubeObject, OwnershipError, withController } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { MergePatch, ObjectApi } from '../objects/object-api.ts'
import { MemoryInformer } from '../testing/memory-informer.ts'
import { childName } from './child-name.ts'
import { Children } from './children.ts'

function refusal(reason: string) {
  return new KubeError(reason, { code: 409, reason })
}

const owner: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Run',
  metadata: { name: 'r', namespace: 'n', uid: 'owner-uid' },
}
const child = {
  metadata: { name: 'j', namespace: 'n' },
  spec: { template: { spec: { containers: [] } } },
}

function job(resourceVersion: string, metadata: Partial<Job['metadata']> = {}): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    ...child,
    metadata: {
      ...withController(child, owner).metadata,
      ...child.metadata,
      resourceVersion,
      ...metadata,
    },
  }
}

function setUp(api: Partial<ObjectApi<Job>>) {
  const calls: string[] = []
  const named = (verb: string) => async () => {
    calls.push(verb)
    throw refusal('Unexpected')
  }
  const counted = Object.fromEntries(
    Object.entries(api).map(([verb, run]) => [
      verb,
      (...args: never[]) => {
        calls.push(verb)
        return (run as (...given: never[]) => unknown)(...args)
      },
    ]),
  )
  const informer = new MemoryInformer<Job>()
  const whole = {
    get: named('get'),
    create: named('create'),
    patch: named('patch'),
    updateStatus: named('updateStatus'),
    ...counted,
  }
  return { calls, informer, children: new Children<Job>(whole, informer) }
}

describe('a child', () => {
  test('is created once, although the cache does not show it yet', async () => {
    const { calls, children } = setUp({ create: async () => job('5') })
    expect((await children.createOrObserve(child, owner)).kind).toBe('created')
    expect((await children.createOrObserve(child, owner)).kind).toBe('unchanged')
    expect(calls).toEqual(['create'])
  })

  test('that was created before a restart of the process is found', async () => {
    const { calls, children } = setUp({
      create: async () => {
        throw refusal('AlreadyExists')
      },
      get: async () => job('5'),
    })
    expect(await children.createOrObserve(child, owner)).toMatchObject({ kind: 'unchanged' })
    await children.createOrObserve(child, owner)
    expect(calls).toEqual(['create', 'get'])
  })

  test('is created again after it was deleted', async () => {
    let version = 5
    const { calls, children, informer } = setUp({ create: async () => job(String(version++)) })
    await children.createOrObserve(child, owner)
    informer.put(job('5'))
    informer.delete('n/j', '6')
    expect((await children.createOrObserve(child, owner)).kind).toBe('created')
    expect(calls).toEqual(['create', 'create'])
  })

  test('that is deleted between the create and the get is an error, to be retried', async () => {
    const { children } = setUp({
      create: async () => {
        throw refusal('AlreadyExists')
      },
      get: async () => {
        throw refusal('NotFound')
      },
    })
    await expect(children.createOrObserve(child, owner)).rejects.toMatchObject({
      reason: 'AlreadyExists',
    })
  })

  test.each([
    {
      because: 'with another controller is rejected',
      references: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'other', controller: true }],
    },
    { because: 'without a controller is rejected', references: [] },
    {
      because: 'of an earlier owner of the same name is rejected',
      references: [
        { apiVersion: 'example.com/v1', kind: 'Run', name: 'r', uid: 'earlier', controller: true },
      ],
    },
    ...[{ apiVersion: 'other.com/v1' }, { kind: 'Schedule' }, { name: 'q' }].map((forged) => ({
      because: `with ${JSON.stringify(forged)} and the uid of the owner is rejected`,
      references: [
        {
          ...{ apiVersion: 'example.com/v1', kind: 'Run', name: 'r', uid: 'owner-uid' },
          ...{ controller: true, ...forged },
        },
      ],
    })),
  ])('$because', async ({ references }) => {
    const { children, informer } = setUp({})
    informer.put(job('5', { ownerReferences: references }))
    await expect(children.createOrObserve(child, owner)).rejects.toThrow(OwnershipError)
  })

  test('is created after a foreign object of its name was deleted, which the cache never held', async () => {
    let isThere = true
    const { children } = setUp({
      create: async () => {
        if (isThere) throw refusal('AlreadyExists')
        return job('9')
      },
      get: async () => job('5', { ownerReferences: [] }),
    })
    await expect(children.createOrObserve(child, owner)).rejects.toThrow(OwnershipError)
    isThere = false
    expect((await children.createOrObserve(child, owner)).kind).toBe('created')
  })

  test('is patched with its resource version if it differs, and not written otherwise', async () => {
    const patches: MergePatch[] = []
    const { calls, children, informer } = setUp({
      patch: async (_key, patch) => {
        patches.push(patch)
        return job('6')
      },
    })
    informer.put(job('5'))
    const suspend = (current: Job): Job => ({
      ...current,
      spec: { ...current.spec, suspend: true },
    })
    expect((await children.createOrUpdate(child, owner, (current) => current)).kind).toBe(
      'unchanged',
    )
    expect((await children.createOrUpdate(child, owner, suspend)).kind).toBe('updated')
    expect(calls).toEqual(['patch'])
    expect(patches).toEqual([{ spec: { suspend: true }, metadata: { resourceVersion: '5' } }])
  })
})

describe('names of children', () => {
  test('are the same for the same parts, and differ for others', () => {
    const names = [
      childName('a-b', 'c'),
      childName('a', 'b-c'),
      childName('a', 'b', 'c'),
      childName('a-b-c'),
    ]
    expect(new Set(names).size).toBe(4)
    expect(childName('a-b', 'c')).toBe(names[0])
  })

  test('are at most 63 characters long and valid', () => {
    const long = childName('x'.repeat(300), 'a')
    expect(long).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
    expect(long.length).toBeLessThanOrEqual(63)
    expect(childName('x'.repeat(300), 'b')).not.toBe(long)
    expect(childName(`${'x'.repeat(53)}.y`, 'b')).toMatch(/^x{53}-[0-9a-f]{8}$/)
  })
})
