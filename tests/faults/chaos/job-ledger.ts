import { compareRevisions, createInformers, JobKind, type KubeClient } from '@agents/kube'

/** A record of every Job that ever existed. */
export interface JobLedger {
  /** For a run, the number of Jobs created under each name. */
  jobsOf(run: string): Record<string, number>
  /** Resolves when all Jobs that exist now have been observed. */
  isUpToDate(): Promise<void>
  close(): Promise<void>
}

export async function keepLedger(client: KubeClient, namespace: string): Promise<JobLedger> {
  const informers = createInformers(client)
  const jobs = informers.acquire(JobKind, { namespace })
  const seen = new Map<string, Map<string, Set<string>>>()
  jobs.addHandler({
    onAdd: ({ metadata }) => {
      for (const owner of metadata.ownerReferences ?? []) {
        const ofRun = seen.get(owner.name) ?? new Map<string, Set<string>>()
        seen.set(owner.name, ofRun)
        ofRun.set(metadata.name, (ofRun.get(metadata.name) ?? new Set()).add(metadata.uid ?? ''))
      }
    },
  })
  await informers.waitForSync()
  return {
    jobsOf: (run) =>
      Object.fromEntries([...(seen.get(run) ?? [])].map(([name, uids]) => [name, uids.size])),
    isUpToDate: async () => {
      const { items } = await client.list(JobKind, { namespace })
      const revisions = items.map(({ metadata }) => metadata.resourceVersion ?? '0')
      await jobs.informer.waitForRevision(revisions.toSorted(compareRevisions).at(-1) ?? '0')
    },
    close: () => informers.stop(),
  }
}
