import type { ResourceCache } from '@agents/controller'
import { controllerOf, type Job, type KubeObject } from '@agents/kube'
import { labels, labelValue } from '../kubernetes/labels.ts'
import { jobName } from './attempt-names.ts'
import type { RunKind } from './run-kind.ts'

/** Jobs of attempts that lost their owner: deleting a run with `--cascade=orphan` removes owner references. */
export interface StrayJobs {
  of(run: KubeObject): Job[]
}

/** Finds stray Jobs by the run that their label names. The index is nearly always empty. */
export function strayJobs(
  jobs: ResourceCache<Job>,
  { label: runLabel, jobs: ofKind }: Pick<RunKind, 'label' | 'jobs'>,
): StrayJobs {
  const index = `strays by ${runLabel}`
  jobs.addIndexers({ [index]: (job) => strayKeys(job, runLabel) })
  return {
    of: ({ metadata: { namespace, name } }) =>
      jobs
        .byIndex(index, strayKey(namespace, labelValue(name)))
        .filter((job) => isAttemptOf(name, ofKind, job)),
  }
}

function strayKeys(job: Job, runLabel: string): readonly string[] {
  const { namespace, labels: jobLabels = {} } = job.metadata
  const run = jobLabels[runLabel]
  const isAttempt = run !== undefined && jobLabels[labels.attempt] !== undefined
  return isAttempt && !controllerOf(job) ? [strayKey(namespace, run)] : []
}

function strayKey(namespace: string | undefined, run: string): string {
  return `${namespace}/${run}`
}

/**
 * Whether the controller chose the Job's name. A copy that a user made of a Job has the same labels and another name.
 */
function isAttemptOf(run: string, ofKind: RunKind['jobs'], { metadata }: Job): boolean {
  const { [labels.attempt]: attempt, [labels.stepIndex]: stepIndex } = metadata.labels ?? {}
  const which = {
    attempt: Number(attempt),
    ofKind,
    ...(stepIndex !== undefined && { stepIndex: Number(stepIndex) }),
  }
  return metadata.name === jobName(run, which)
}
