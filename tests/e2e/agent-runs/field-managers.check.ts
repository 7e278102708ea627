import { type AgentRun, attemptLabel } from '@agents/jangar-api'
import { type Job, JobKind, type KubeObject, type Pod, PodKind } from '@agents/kube'
import { isFinished } from '@agents/status'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createRun,
  namespace,
  type RunPlatform,
  runKind,
  startRunPlatform,
} from '../../support/run-platform/run-platform.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { until } from '../../support/testbed/until.ts'

const servers = await serversOfTier()

// Recording who manages which field is a large part of what a write costs the API server. Nobody applies the Jobs and
// pods of runs, and so nobody needs the record.
describe.each(servers)('with the admission policies, on the %s server,', (server) => {
  let platform: RunPlatform
  beforeAll(async () => {
    platform = await startRunPlatform(server, { admissionPolicies: true })
    await platform.startControllers()
    await platform.startNode()
  })
  afterAll(() => platform?.stop())

  const ended = async (name: string): Promise<AgentRun> => {
    await until(async () => {
      const run = await platform.client.get(runKind, { namespace, name })
      return isFinished(run.status?.conditions)
    })
    const run = await platform.client.get(runKind, { namespace, name })
    expect(run.status?.phase).toBe('Succeeded')
    return run
  }
  const workOf = async (owner: { metadata: { uid?: string } }): Promise<[Job, Pod]> => {
    const isOwned = ({ metadata }: KubeObject, by: { metadata: { uid?: string } }) =>
      metadata.ownerReferences?.some(({ uid }) => uid === by.metadata.uid)
    const jobs = await platform.client.list(JobKind, { namespace })
    const job = jobs.items.find((one) => isOwned(one, owner)) as Job
    const pods = await platform.client.list(PodKind, { namespace })
    return [job, pods.items.find((one) => isOwned(one, job)) as Pod]
  }

  test('the Job and the pod of a run have no field managers, the run has', async () => {
    await createRun(platform.client, 'created')
    const run = await ended('created')
    const [job, pod] = await workOf(run)
    expect(job.status?.succeeded).toBe(1)
    expect(pod.status?.phase).toBe('Succeeded')
    expect([job, pod].map(managersOf)).toEqual([[], []])
    expect(managersOf(run)).not.toEqual([])
  })

  test('other Jobs and pods have theirs', async () => {
    const { metadata } = await platform.client.create(JobKind, bareJob as never)
    const key = { namespace, name: 'bare' }
    await until(async () => (await platform.client.get(JobKind, key)).status?.succeeded === 1)
    const pods = await platform.client.list(PodKind, { namespace })
    const pod = pods.items.find((one) => one.metadata.ownerReferences?.[0]?.uid === metadata.uid)
    expect(managersOf(await platform.client.get(JobKind, key))).not.toEqual([])
    expect(managersOf(pod as Pod)).not.toEqual([])
  })

  test('a Job with the label of an attempt that somebody applies keeps them', async () => {
    const applied = { ...bareJob, metadata: { name: 'applied', namespace, labels } }
    const options = { fieldManager: 'deployer', force: false }
    expect(managersOf(await platform.client.apply(JobKind, applied, options))).toEqual(['deployer'])
  })

  test('a Job without field managers can be applied, and has them from then on', async () => {
    const suspended = { ...bareJob.spec, suspend: true }
    const metadata = { name: 'later', namespace, labels }
    const created = await platform.client.create(JobKind, { metadata, spec: suspended } as never)
    expect(managersOf(created)).toEqual([])
    const apply = (annotations: object): Promise<Job> =>
      platform.client.apply(
        JobKind,
        { metadata: { ...metadata, annotations } as never, spec: { suspend: true } },
        { fieldManager: 'deployer', force: false },
      )
    const annotated = await apply({ note: 'a' })
    expect(managersOf(annotated)).toContain('deployer')
    expect(annotated.metadata.annotations).toMatchObject({ note: 'a' })
    const plain = await apply({})
    expect(plain.metadata.annotations).not.toMatchObject({ note: 'a' })
    expect(plain.spec).toEqual(annotated.spec)
  })
})

const labels = { [attemptLabel]: '1' }

const bareJob = {
  metadata: { name: 'bare', namespace },
  spec: {
    template: {
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        containers: [{ name: 'work', image: 'local', command: ['/bin/sh', '-c', 'true'] }],
      },
    },
  },
}

function managersOf({ metadata }: KubeObject): string[] {
  return (metadata.managedFields ?? []).map(({ manager = '' }) => manager)
}
