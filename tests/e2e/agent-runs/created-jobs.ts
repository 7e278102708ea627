import { type Job, JobKind, type KubeClient } from '@agents/kube'
import { until } from '../../support/testbed/until.ts'

/** A record of every Job created since the call, however short-lived. */
export interface CreatedJobs {
  /** Names of all Jobs that the run ever owned, one entry per creation. */
  of(run: string): Promise<string[]>
  stop(): Promise<void>
}

export async function createdJobs(client: KubeClient): Promise<CreatedJobs> {
  const { metadata } = await client.list(JobKind, { namespace: 'agents' })
  const control = new AbortController()
  const stream = await client.watch(JobKind, {
    namespace: 'agents',
    resourceVersion: metadata.resourceVersion,
    signal: control.signal,
  })
  const seen: Job[] = []
  const reading = (async () => {
    for await (const event of stream) if (event.type === 'ADDED') seen.push(event.object)
  })().catch(() => undefined)
  return {
    of: async (run) => {
      const isOwned = ({ metadata }: Job): boolean =>
        metadata.ownerReferences?.some(({ name }) => name === run) ?? false
      // Events arrive in order: once the newest Job has been observed, all have.
      const { items } = await client.list(JobKind, { namespace: 'agents' })
      const uids = items.filter(isOwned).map(({ metadata }) => metadata.uid)
      await until(
        async () => uids.every((uid) => seen.some(({ metadata }) => metadata.uid === uid)),
        `not all Jobs of ${run} were seen`,
      )
      return seen.filter(isOwned).map(({ metadata }) => metadata.name)
    },
    stop: async () => {
      control.abort(new Error('seen enough'))
      await reading
    },
  }
}
