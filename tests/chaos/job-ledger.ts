import { createInformers, JobKind, type KubeClient } from '@agents/kube'

/** Every Job that was ever there. */
export interface JobLedger {
  /** Of a run: how many Jobs of each name. */
  jobsOf(run: string): Record<string, number>
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
    close: () => informers.stop(),
  }
}
