import { childName } from '@agents/controller'
import { requestedByAnnotation, type Schedule, scheduledAtAnnotation } from '@agents/jangar-api'
import type { KubeObject, New } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { conditionOf } from '../../kubernetes/condition-of.ts'
import { labelValue, withoutPlatformKeys } from '../../kubernetes/labels.ts'
import type { ScheduledRun } from './run-kinds.ts'

const scheduleLabel = 'schedules.proompteng.ai/schedule'
const triggerAnnotation = 'schedules.proompteng.ai/trigger'

/** A run that the schedule names. */
export type NamedRun = New<ScheduledRun> & { metadata: { name: string } }

/** What a schedule starts: the spec and metadata of its template, or the spec of an existing run. */
export interface RunTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>> | undefined
    readonly annotations?: Readonly<Record<string, string>> | undefined
  }
  readonly spec: ScheduledRun['spec']
}

/**
 * The run of one time of a schedule. The time is part of its name, so that it is created once, however many controllers
 * try.
 */
export function scheduledRun(schedule: Schedule, due: Date, template: RunTemplate): NamedRun {
  const { name, namespace, annotations } = schedule.metadata
  const requestedBy = annotations?.[requestedByAnnotation]
  return {
    metadata: {
      name: childName(name, String(due.getTime() / 60_000)),
      ...(namespace !== undefined && { namespace }),
      labels: labelsOf(template, name),
      annotations: {
        ...withoutPlatformKeys(template.metadata?.annotations),
        [scheduledAtAnnotation]: rfc3339(due),
        ...(requestedBy !== undefined && { [requestedByAnnotation]: requestedBy }),
      },
    },
    spec: withoutMemory(structuredClone(template.spec)),
  } as NamedRun
}

/** Operations on a Memory are for steps only, and the platform, which creates the run, could set one. */
function withoutMemory(spec: ScheduledRun['spec']): object {
  const { memory: _, ...rest } = spec as { readonly memory?: unknown }
  return rest
}

/** UID of the run that the current spec of the schedule copies; undefined if it is not known yet, or none. */
export function targetUidOf(schedule: Schedule): string | undefined {
  const { generation } = schedule.metadata
  const isCurrent = conditionOf(schedule, 'TargetResolved')?.observedGeneration === generation
  return isCurrent ? schedule.status?.targetUid : undefined
}

/**
 * Why the schedule does not copy this run, if it does not: another one had the name when the spec took effect, and this
 * one may be of somebody else.
 */
export function targetProblem(
  schedule: Schedule,
  { metadata }: Pick<KubeObject, 'metadata'>,
): string | undefined {
  const known = targetUidOf(schedule)
  if (known === undefined || known === metadata.uid) return undefined
  const { targetRef } = schedule.spec
  return `${targetRef?.kind} ${targetRef?.name} was deleted and created again; change the spec of the schedule to copy the new one, or put the run into spec.template`
}

/** The time for which the platform has started the run; undefined if a user has triggered it. */
export function scheduledTime({ metadata }: Pick<ScheduledRun, 'metadata'>): string | undefined {
  return metadata.annotations?.[scheduledAtAnnotation] || undefined
}

/**
 * A run of a schedule at once, besides its times, created by a user and not by the platform. It counts as a run of the
 * schedule for its concurrency policy, and its history is limited in the same way, but apart.
 */
export function manualRun(schedule: Schedule, template: RunTemplate): New<ScheduledRun> {
  const { apiVersion, kind } = schedule
  const { name, namespace, uid } = schedule.metadata
  return {
    metadata: {
      // The server shortens it to leave room for its suffix.
      generateName: `${name}-manual-`,
      ...(namespace !== undefined && { namespace }),
      labels: labelsOf(template, name),
      annotations: {
        ...withoutPlatformKeys(template.metadata?.annotations),
        [triggerAnnotation]: 'manual',
      },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    spec: structuredClone(template.spec),
  } as New<ScheduledRun>
}

function labelsOf({ metadata }: RunTemplate, schedule: string): Record<string, string> {
  return { ...withoutPlatformKeys(metadata?.labels), [scheduleLabel]: labelValue(schedule) }
}

/**
 * The spec of a run for another one: without what ended or identified the first, and without the run that it resumed,
 * which the author of a schedule may not be allowed to read.
 */
export function copiedSpec<T extends ScheduledRun>({ spec }: T): T['spec'] {
  const {
    cancel: _,
    idempotencyKey: _key,
    deliveryId: _id,
    resumeFrom: _run,
    ...rest
  } = spec as {
    readonly [Name in 'cancel' | 'idempotencyKey' | 'deliveryId' | 'resumeFrom']?: unknown
  }
  return rest as T['spec']
}
