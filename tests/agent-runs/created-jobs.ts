import { type Job, JobKind, type KubeClient } from '@agents/kube'
import { eventually } from './bench.ts'

/** Every Job that was ever there, from when it is called, however short its life. */
export interface CreatedJobs {
  /** Names of all Jobs that the run ever owned, a name for each time that one was created. */
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
      // Events come in order: whoever has seen the youngest has seen all.
      const { items } = await client.list(JobKind, { namespace: 'agents' })
      const uids = items.filter(isOwned).map(({ metadata }) => metadata.uid)
      await eventually(
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
