import type { ChangeHandlers } from '@agents/controller'
import {
  type Job,
  type KubeClient,
  type KubeObject,
  OwnershipError,
  type Pod,
  withController,
} from '@agents/kube'
import { createLogger } from '@agents/log'
import { describe, expect, test } from 'vitest'
import type { CoreCaches } from '../caches/core-caches.ts'
import { attemptJobs } from './attempt-jobs.ts'
import type { AttemptObjects } from './attempt-objects.ts'

const run = {
  apiVersion: 'agents.proompteng.ai/v1alpha1',
  kind: 'AgentRun',
  metadata: { name: 'fix', namespace: 'agents', uid: 'run-1' },
}

const objects = {
  configMaps: [{ metadata: { name: 'fix-spec', namespace: 'agents' } }],
  job: { metadata: { name: 'fix-job', namespace: 'agents' } },
  superseded: [],
} as unknown as AttemptObjects

interface Options {
  readonly isDown?: boolean
  /** The Jobs that every index returns. */
  readonly indexed?: Job[]
  /** The pods that the index of owners returns, and those that the server lists. */
  readonly cachedPods?: Pod[]
  readonly listedPods?: Pod[]
  /** The Job that the cache has. */
  readonly cachedJob?: Job
}

function setUp(options: Options = {}) {
  const { isDown = false, indexed = [], cachedPods = [], listedPods = [], cachedJob } = options
  const created: string[] = []
  const subscribed: ChangeHandlers<Job>[] = []
  const client = {
    create: async (_kind: unknown, object: KubeObject) => {
      if (isDown) throw new Error('no answer')
      created.push(object.metadata.name)
      return { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '7' } }
    },
    list: async () => ({ items: listedPods }),
  }
  const jobs: Pick<
    CoreCaches['jobs'],
    'get' | 'byIndex' | 'addIndexers' | 'subscribe' | 'resourceVersion'
  > = {
    get: () => cachedJob,
    byIndex: () => indexed,
    addIndexers: () => undefined,
    resourceVersion: '1',
    subscribe: (handlers) => {
      subscribed.push(handlers)
      return { hasSynced: () => true, remove: () => undefined }
    },
  }
  const made = attemptJobs({
    client: client as unknown as KubeClient,
    caches: {
      jobs,
      pods: { subscribe: () => undefined, byIndex: () => cachedPods },
    } as unknown as CoreCaches,
    kind: {
      owner: { group: 'agents.proompteng.ai', kind: 'AgentRun', namespaced: true },
      label: 'agents.proompteng.ai/agent-run',
      annotation: 'agents.proompteng.ai/agent-run',
    },
    log: createLogger({ sink: { write: () => undefined } }),
  })
  const requeued: string[] = []
  made.arrivals.start((key) => requeued.push(key))
  const show = (job: Job): void => {
    for (const handlers of subscribed) handlers.onAdd(job, false)
  }
  return { created, jobs: made, show, requeued }
}

describe('submitting an attempt', () => {
  const { signal } = new AbortController()

  test('creates ConfigMaps while the finalizer is being added, and the Job after it', async () => {
    const { created, jobs } = setUp()
    const marking = Promise.withResolvers<void>()
    const finalizerAdded = marking.promise.then(() => void created.push('finalizer'))
    const going = jobs.submit(run, objects, { signal, finalizerAdded })
    await expect.poll(() => created).toEqual(['fix-spec'])
    marking.resolve()
    await going
    expect(created).toEqual(['fix-spec', 'finalizer', 'fix-job'])
  })

  test('creates no Job if the finalizer cannot be added', async () => {
    const { created, jobs } = setUp()
    const finalizerAdded = Promise.reject(new Error('it is being deleted'))
    await expect(jobs.submit(run, objects, { signal, finalizerAdded })).rejects.toThrow(
      'being deleted',
    )
    expect(created).toEqual(['fix-spec'])
  })
})

describe('a Job that appears in the cache', () => {
  const { signal } = new AbortController()
  const job = withController(objects.job as unknown as Job, run)

  test('does not requeue the run if this process created it', async () => {
    const { jobs, show, requeued } = setUp()
    await jobs.submit(run, objects, { signal })
    show(job)
    expect(requeued).toEqual([])
  })

  test('requeues the run if another process created it', () => {
    const { show, requeued } = setUp()
    show(job)
    expect(requeued).toEqual(['agents/fix'])
  })

  test('requeues the run after a request that seemed to fail', async () => {
    const { jobs, show, requeued } = setUp({ isDown: true })
    await expect(jobs.submit(run, { ...objects, configMaps: [] }, { signal })).rejects.toThrow()
    show(job)
    expect(requeued).toEqual(['agents/fix'])
  })
})

test('strays are unfinished Jobs of attempts of the run that have no owner', () => {
  const stray = (name: string, marks: object, status: object = {}): Job =>
    ({
      metadata: {
        name,
        namespace: 'agents',
        labels: { 'agents.proompteng.ai/agent-run': 'fix', ...marks },
      },
      status,
    }) as unknown as Job
  const first = { 'agents.proompteng.ai/attempt': '1' }
  const inStep = { ...first, 'agents.proompteng.ai/step-index': '2' }
  const over = { conditions: [{ type: 'Complete', status: 'True' }] }
  const { jobs } = setUp({
    indexed: [
      stray('fix-job', first),
      stray('fix-step-2-attempt-1', inStep),
      stray('fix-job-by-hand', first),
      stray('fix-job', first, over),
    ],
  })
  expect(jobs.strays(run).map(({ metadata }) => metadata.name)).toEqual([
    'fix-job',
    'fix-step-2-attempt-1',
  ])
})

const forgeries = [
  { because: 'a kind of another group', forged: { apiVersion: 'example.com/v1' } },
  { because: 'another kind', forged: { kind: 'Forged' } },
  { because: 'another name', forged: { name: 'other' } },
  { because: 'a further owner', forged: { controller: false } },
]

describe('a Job that names the run', () => {
  const { signal } = new AbortController()
  const genuine = withController(
    { metadata: { name: 'fix-job', namespace: 'agents', uid: 'job' } } as unknown as Job,
    run,
  )

  test.each(forgeries)('as $because is no attempt of it', async ({ forged }) => {
    const job = withOwner(genuine, forged)
    const { jobs } = setUp({ indexed: [job], cachedJob: job })
    expect(jobs.of(run)).toEqual([])
    expect(jobs.unfinished(run)).toEqual([])
    await expect(jobs.submit(run, objects, { signal })).rejects.toThrow(OwnershipError)
  })

  test('as its controller is one, whichever version of the API it names', async () => {
    const job = withOwner(genuine, { apiVersion: 'agents.proompteng.ai/v1' })
    const { jobs } = setUp({ indexed: [job], cachedJob: job })
    expect(jobs.of(run)).toEqual([job])
    expect(await jobs.submit(run, objects, { signal })).toBe(job)
  })
})

describe('the pod of a Job', () => {
  const { signal } = new AbortController()
  const job = {
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name: 'fix-job', namespace: 'agents', uid: 'job' },
    status: { conditions: [{ type: 'Complete', status: 'True' }] },
  } as unknown as Job
  const pod = (name: string, second: number): Pod =>
    withController(
      {
        metadata: {
          ...{ name, namespace: 'agents' },
          labels: { 'batch.kubernetes.io/job-name': 'fix-job' },
          creationTimestamp: `2026-01-01T00:00:0${second}Z`,
        },
        status: { phase: 'Succeeded' },
      } as unknown as Pod,
      job,
    )
  const genuine = pod('fix-job-a', 1)

  test.each(forgeries)('is not a newer one that names the Job as $because', async ({ forged }) => {
    const other = withOwner(pod('forged', 2), forged)
    const cached = setUp({ cachedPods: [genuine, other] })
    expect(await cached.jobs.podOf(job, signal)).toBe(genuine)
    const listed = setUp({ listedPods: [genuine, other] })
    expect(await listed.jobs.podOf(job, signal)).toBe(genuine)
    const alone = setUp({ cachedPods: [other], listedPods: [other] })
    expect(await alone.jobs.podOf(job, signal)).toBeUndefined()
  })

  test('is not one that has only its labels', async () => {
    const { ownerReferences: _, ...metadata } = pod('forged', 2).metadata
    const labelled = { ...genuine, metadata } as Pod
    const { jobs } = setUp({ listedPods: [genuine, labelled] })
    expect(await jobs.podOf(job, signal)).toBe(genuine)
  })

  test('is the newest that the Job controls', async () => {
    const newer = pod('fix-job-b', 3)
    const { jobs } = setUp({ cachedPods: [newer, genuine] })
    expect(await jobs.podOf(job, signal)).toBe(newer)
  })
})

/** The object with its one owner reference changed. */
function withOwner<T extends KubeObject>(object: T, change: object): T {
  const ownerReferences = object.metadata.ownerReferences?.map((one) => ({ ...one, ...change }))
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}
