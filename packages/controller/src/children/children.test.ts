import { type Job, KubeError, type KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../clock/manual-clock.ts'
import type { MergePatch, ObjectApi } from '../objects/object-api.ts'
import { MemoryInformer } from '../testing/memory-informer.ts'
import { childName } from './child-name.ts'
import { Children } from './children.ts'
import { OwnershipError, withController } from './owner-reference.ts'
import { patchObject } from './patch-object.ts'
import { patientRetries, retryOnConflict } from './retry-on-conflict.ts'

const refusal = (reason: string) => new KubeError(reason, { code: 409, reason })

const owner: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Run',
  metadata: { name: 'r', namespace: 'n', uid: 'owner-uid' },
}
const child = {
  metadata: { name: 'j', namespace: 'n' },
  spec: { template: { spec: { containers: [] } } },
}
const job = (resourceVersion: string, metadata: Partial<Job['metadata']> = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  ...child,
  metadata: {
    ...withController<Job>(child, owner).metadata,
    ...child.metadata,
    resourceVersion,
    ...metadata,
  },
})

const setUp = (api: Partial<ObjectApi<Job>>) => {
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
    patchStatus: named('patchStatus'),
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

  test('that was created by an earlier life of the process is found', async () => {
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

  test('is created anew after it was deleted', async () => {
    let version = 5
    const { calls, children, informer } = setUp({ create: async () => job(String(version++)) })
    await children.createOrObserve(child, owner)
    informer.put(job('5'))
    informer.delete('n/j', '6')
    expect((await children.createOrObserve(child, owner)).kind).toBe('created')
    expect(calls).toEqual(['create', 'create'])
  })

  test('that vanished between two requests is an error, and tried again later', async () => {
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
      because: 'of somebody else is not ours',
      references: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'other', controller: true }],
    },
    { because: 'of nobody is not ours', references: [] },
    {
      because: 'of an earlier owner of the same name is not ours',
      references: [
        { apiVersion: 'example.com/v1', kind: 'Run', name: 'r', uid: 'earlier', controller: true },
      ],
    },
  ])('$because', async ({ references }) => {
    const { children, informer } = setUp({})
    informer.put(job('5', { ownerReferences: references }))
    await expect(children.createOrObserve(child, owner)).rejects.toThrow(OwnershipError)
  })

  test('is changed when it is not as wanted, guarded, and left alone when it is', async () => {
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

describe('an owner', () => {
  test('controls its child and keeps itself from going first', () => {
    const { ownerReferences } = withController<Job>(child, owner).metadata
    expect(ownerReferences).toEqual([
      {
        apiVersion: 'example.com/v1',
        kind: 'Run',
        name: 'r',
        uid: 'owner-uid',
        controller: true,
        blockOwnerDeletion: true,
      },
    ])
  })

  test('is named once, however often it is set', () => {
    const once = withController<Job>(child, owner)
    expect(withController<Job>(once, owner)).toEqual(once)
  })

  test('does not take over what another controls', () => {
    const other = { ...owner, metadata: { ...owner.metadata, uid: 'other' } }
    expect(() => withController<Job>(withController<Job>(child, owner), other)).toThrow(
      OwnershipError,
    )
  })

  test.each([
    {
      because: 'cannot own across namespaces',
      child: { ...child, metadata: { name: 'j', namespace: 'elsewhere' } },
      owner,
    },
    {
      because: 'of a namespace cannot own what has none',
      child: { ...child, metadata: { name: 'j' } },
      owner,
    },
    {
      because: 'without a uid cannot own',
      child,
      owner: { ...owner, metadata: { name: 'r', namespace: 'n' } },
    },
  ])('$because', (row) => {
    expect(() => withController<Job>(row.child, row.owner)).toThrow(TypeError)
  })

  test('of the cluster can own in any namespace', () => {
    const cluster = { ...owner, metadata: { name: 'r', uid: 'u' } }
    expect(withController<Job>(child, cluster).metadata.ownerReferences).toHaveLength(1)
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

  test('are never too long, and stay names', () => {
    const long = childName('x'.repeat(300), 'a')
    expect(long).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
    expect(long.length).toBeLessThanOrEqual(63)
    expect(childName('x'.repeat(300), 'b')).not.toBe(long)
    expect(childName(`${'x'.repeat(53)}.y`, 'b')).toMatch(/^x{53}-[0-9a-f]{8}$/)
  })
})

describe('a conflict', () => {
  test.each([
    { because: 'is tried five times by default', retries: undefined, tries: 5, elapsed: 40 },
    {
      because: 'is tried with growing pauses where asked',
      retries: patientRetries,
      tries: 4,
      elapsed: 310,
    },
  ])('$because', async ({ retries, tries, elapsed }) => {
    const clock = new ManualClock()
    let tried = 0
    const start = clock.elapsed()
    let end = 0
    const outcome = retryOnConflict(
      async () => {
        tried += 1
        end = clock.elapsed()
        throw refusal('Conflict')
      },
      retries,
      clock,
      () => 0,
    )
    const refused = expect(outcome).rejects.toMatchObject({ reason: 'Conflict' })
    await clock.advance(10_000)
    await refused
    expect([tried, end - start]).toEqual([tries, elapsed])
  })

  test('is the only thing that is tried again', async () => {
    let tried = 0
    const outcome = retryOnConflict(async () => {
      tried += 1
      throw refusal('Forbidden')
    })
    await expect(outcome).rejects.toMatchObject({ reason: 'Forbidden' })
    expect(tried).toBe(1)
  })
})

test('a patch sends status and the rest apart, the second guarded by what the first came to', async () => {
  const sent: [string, MergePatch][] = []
  const before = job('5')
  const after: Job = { ...before, spec: { ...before.spec, suspend: true }, status: { active: 1 } }
  const answer = await patchObject<Job>(
    {
      patch: async (_key, patch) => {
        sent.push(['main', patch])
        return job('6')
      },
      patchStatus: async (_key, patch) => {
        sent.push(['status', patch])
        return job('7')
      },
    },
    before,
    after,
  )
  expect(sent).toEqual([
    ['main', { spec: { suspend: true }, metadata: { resourceVersion: '5' } }],
    ['status', { status: { active: 1 }, metadata: { resourceVersion: '6' } }],
  ])
  expect(answer.metadata.resourceVersion).toBe('7')
})
