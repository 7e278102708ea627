import type { ChangeHandlers } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { type Job, type KubeObject, withController } from '@agents/kube'
import { describe, expect, test, vi } from 'vitest'
import type { AgentsPorts } from '../ports.ts'
import { runJobs } from './run-jobs.ts'
import type { WorkObjects } from './workload/work-objects.ts'

const run = {
  apiVersion: 'agents.proompteng.ai/v1alpha1',
  kind: 'AgentRun',
  metadata: { name: 'fix', namespace: 'agents', uid: 'run-1' },
} as AgentRun

const objects = {
  configMaps: [{ metadata: { name: 'fix-spec', namespace: 'agents' } }],
  job: { metadata: { name: 'fix-job', namespace: 'agents' } },
  superseded: [],
} as unknown as WorkObjects

interface Options {
  readonly isDown?: boolean
  /** What the index of Jobs without an owner finds. */
  readonly indexed?: Job[]
}

const world = ({ isDown = false, indexed = [] }: Options = {}) => {
  const created: string[] = []
  const subscribed: ChangeHandlers<Job>[] = []
  const client = {
    create: async (_kind: unknown, object: KubeObject) => {
      if (isDown) throw new Error('no answer')
      created.push(object.metadata.name)
      return { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '7' } }
    },
  }
  const jobs: Pick<
    AgentsPorts['caches']['jobs'],
    'get' | 'byIndex' | 'addIndexers' | 'subscribe' | 'resourceVersion'
  > = {
    get: () => undefined,
    byIndex: () => indexed,
    addIndexers: () => undefined,
    resourceVersion: '1',
    subscribe: (handlers) => {
      subscribed.push(handlers)
      return { hasSynced: () => true, remove: () => undefined }
    },
  }
  const ports = { client, caches: { jobs } } as unknown as AgentsPorts
  const made = runJobs(ports)
  const looked: string[] = []
  made.arrivals.start((key) => looked.push(key))
  const show = (job: Job): void => {
    for (const handlers of subscribed) handlers.onAdd(job, false)
  }
  return { created, jobs: made, show, looked }
}

describe('handing the work of a run over', () => {
  const { signal } = new AbortController()

  test('prepares it while the finalizer is on its way, and creates the Job after it', async () => {
    const { created, jobs } = world()
    const marking = Promise.withResolvers<void>()
    const marked = marking.promise.then(() => void created.push('finalizer'))
    const going = jobs.submit(run, objects, { signal, marked })
    await vi.waitFor(() => expect(created).toEqual(['fix-spec']))
    marking.resolve()
    await going
    expect(created).toEqual(['fix-spec', 'finalizer', 'fix-job'])
  })

  test('creates no Job for a run that gets no finalizer', async () => {
    const { created, jobs } = world()
    const marked = Promise.reject(new Error('it is being deleted'))
    await expect(jobs.submit(run, objects, { signal, marked })).rejects.toThrow('being deleted')
    expect(created).toEqual(['fix-spec'])
  })
})

describe('a Job that shows up', () => {
  const { signal } = new AbortController()
  const job = withController(objects.job as unknown as Job, run)

  test('is no news to whoever created it', async () => {
    const { jobs, show, looked } = world()
    await jobs.submit(run, objects, { signal })
    show(job)
    expect(looked).toEqual([])
  })

  test('is news when somebody else created it', () => {
    const { show, looked } = world()
    show(job)
    expect(looked).toEqual(['agents/fix'])
  })

  test('is news after a request that seemed to have failed', async () => {
    const { jobs, show, looked } = world({ isDown: true })
    await expect(jobs.submit(run, { ...objects, configMaps: [] }, { signal })).rejects.toThrow()
    show(job)
    expect(looked).toEqual(['agents/fix'])
  })
})

test('Jobs that lost their owner are those of attempts of the run which have not ended', () => {
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
  const { jobs } = world({
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
