import type { KubeObject } from '@agents/kube'
import { age, isUnset, timeBetween } from '../age.ts'
import {
  ageColumn,
  booleanColumn,
  column,
  integerColumn,
  nameColumn,
  printer,
  wideColumn,
} from '../printer.ts'
import { type LabelSelector, selectorOrNone } from '../selector-text.ts'
import { containerCells, containerColumns, type PodTemplate } from './containers.ts'

interface JobSpec {
  completions?: number
  parallelism?: number
  selector?: LabelSelector
  template?: PodTemplate
}

interface Job extends KubeObject {
  spec?: JobSpec
  status?: {
    succeeded?: number
    startTime?: string | null
    completionTime?: string | null
    conditions?: readonly { type: string; status: string }[]
  }
}

interface CronJob extends KubeObject {
  spec?: {
    schedule?: string
    timeZone?: string
    suspend?: boolean
    jobTemplate?: { spec?: JobSpec }
  }
  status?: { active?: readonly object[]; lastScheduleTime?: string | null }
}

export const jobPrinter = printer<Job>(
  [
    nameColumn,
    column('Status', { description: 'How far the job is.' }),
    column('Completions', { description: 'Pods that succeeded, of those needed.' }),
    column('Duration', { description: 'Time that the job took, or has taken up to now.' }),
    ageColumn,
    ...containerColumns,
    wideColumn('Selector'),
  ],
  (job, now) => [
    job.metadata.name,
    jobStatus(job),
    completions(job),
    duration(job, now),
    age(job.metadata.creationTimestamp, now),
    ...containerCells(job.spec?.template),
    selectorOrNone(job.spec?.selector),
  ],
)

export const cronJobPrinter = printer<CronJob>(
  [
    nameColumn,
    column('Schedule'),
    column('Timezone'),
    booleanColumn('Suspend'),
    integerColumn('Active'),
    column('Last Schedule'),
    ageColumn,
    ...containerColumns,
    wideColumn('Selector'),
  ],
  ({ metadata, spec, status }, now) => {
    const template = spec?.jobTemplate?.spec
    return [
      metadata.name,
      spec?.schedule ?? '',
      spec?.timeZone ?? '<none>',
      spec?.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False',
      status?.active?.length ?? 0,
      lastSchedule(status?.lastScheduleTime, now),
      age(metadata.creationTimestamp, now),
      ...containerCells(template?.template),
      selectorOrNone(template?.selector),
    ]
  },
)

function jobStatus({ metadata, status }: Job): string {
  const has = (wanted: string): boolean =>
    status?.conditions?.find(({ type }) => type === wanted)?.status === 'True'
  if (has('Complete')) return 'Complete'
  if (has('Failed')) return 'Failed'
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running'
}

function completions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`
  const parallelism = spec?.parallelism ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function duration({ status }: Job, now: Date): string {
  const { startTime, completionTime } = status ?? {}
  if (isUnset(startTime)) return ''
  return isUnset(completionTime) ? age(startTime, now) : timeBetween(startTime, completionTime)
}

function lastSchedule(time: string | null | undefined, now: Date): string {
  return isUnset(time) ? '<none>' : age(time, now)
}
