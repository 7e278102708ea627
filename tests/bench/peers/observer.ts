import { createInformers, JobKind, type KubeClient, type KubeObject, PodKind } from '@agents/kube'
import { namespace } from '../../support/run-platform/run-platform.ts'
import { milestones } from '../runs/milestones.ts'
import type { Subject } from './subject.ts'

/** Observes through watches when objects get their pods, and when they have finished. */
interface Observer {
  /** Resolves with the times at which the object's Job, if it has one, and pod were first seen. */
  podSeen(name: string): Promise<{ readonly job?: number; readonly pod: number }>
  /** Resolves when all of the objects have finished, and throws if one of them has failed. */
  finished(names: readonly string[]): Promise<void>
  stop(): Promise<void>
}

export async function observe<T extends KubeObject>(
  client: KubeClient,
  subject: Subject<T>,
  { pods: observesPods }: { readonly pods: boolean },
): Promise<Observer> {
  const informers = createInformers(client)
  const ends = milestones<boolean>()
  const pods = milestones<number>()
  const jobs = milestones<{ readonly name: string; readonly at: number }>()
  const check = (object: T): void => {
    const { name } = object.metadata
    if (subject.isFinished(object)) ends.reach(name, subject.hasSucceeded(object))
  }
  informers
    .acquire(subject.kind, { namespace })
    .addHandler({ onAdd: check, onUpdate: (_before, after) => check(after) })
  const { ownerOf } = subject
  if (observesPods && ownerOf !== undefined) {
    // The watches are independent: the pod of a Job may be seen before the Job.
    informers.acquire(JobKind, { namespace }).addHandler({
      onAdd: (job) => {
        const owner = ownerOf(job)
        const { name } = job.metadata
        if (owner !== undefined) jobs.reach(owner, { name, at: performance.now() })
      },
    })
  }
  if (observesPods) {
    informers.acquire(PodKind, { namespace }).addHandler({
      onAdd: ({ metadata }) => {
        const now = performance.now()
        for (const { name } of metadata.ownerReferences ?? []) pods.reach(name, now)
      },
    })
  }
  await informers.waitForSync()
  return {
    podSeen: async (name) => {
      if (ownerOf === undefined) return { pod: await pods.reached(name) }
      const { name: job, at } = await jobs.reached(name)
      return { job: at, pod: await pods.reached(job) }
    },
    finished: async (names) => {
      const results = await Promise.all(names.map(ends.reached))
      const failed = names.filter((_, at) => results[at] !== true)
      if (failed.length > 0) throw new Error(`${failed.length} failed, for example ${failed[0]}`)
    },
    stop: () => informers.stop(),
  }
}
