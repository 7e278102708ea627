import {
  type Orchestration,
  orchestrationConditions,
  type Schedule,
  scheduleConditions,
} from '@agents/jangar-api'
import type { ClusterEvent, Condition, KubeObject } from '@agents/kube'
import type { LivingConditions } from '@agents/status'
import { shortDuration } from '../cli/duration.ts'
import type { ShownRun } from '../run/run-kind.ts'
import { type DecisionTrace, decisionTrace } from './decision-trace.ts'

/** An object that is Ready while it exists. */
export type LivingObject = KubeObject & {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** How such an object is explained. */
interface ExplainedKind {
  readonly conditions: Pick<LivingConditions, 'gates' | 'all'>
  /** What happens next if it is ready. */
  next(object: KubeObject, now: Date): readonly string[]
}

const kinds: Readonly<Record<string, ExplainedKind>> = {
  Orchestration: {
    conditions: orchestrationConditions,
    next: (object) => nextOfOrchestration(object as Orchestration),
  },
  Schedule: {
    conditions: scheduleConditions,
    next: (object, now) => nextOfSchedule(object as Schedule, now),
  },
}

export function explainedKind(kind: string | undefined): ExplainedKind | undefined {
  return kind === undefined ? undefined : kinds[kind]
}

/** Why an object is ready, waits, or needs a change. */
export function explainLiving(
  { conditions: declared, next }: ExplainedKind,
  object: LivingObject,
  events: readonly ClusterEvent[],
  now: Date,
): DecisionTrace {
  const { conditions = [] } = object.status ?? {}
  const nextSteps = (): readonly string[] => nextOf(conditions, () => next(object, now))
  const of = { conditions: declared, summary: 'Ready', nextSteps } as const
  return decisionTrace(object as unknown as ShownRun, events, now, { of })
}

/** As one line. */
export function headlineOf(conditions: readonly Condition[] = []): string {
  const ready = conditions.find(({ type }) => type === 'Ready')
  if (ready === undefined) return 'Pending: no controller has processed it yet'
  const { status, reason, message } = ready
  return status === 'True' ? 'Ready' : `Not ready: ${[reason, message].filter(Boolean).join(': ')}`
}

function nextOf(conditions: readonly Condition[], ready: () => readonly string[]) {
  const isTrue = (type: string): boolean =>
    conditions.some((one) => one.type === type && one.status === 'True')
  if (conditions.length === 0) {
    return [
      'No controller has processed it yet. If this takes longer than a few seconds: agentctl doctor',
    ]
  }
  if (isTrue('Ready')) return ready()
  const { message = '' } = conditions.find(({ type }) => type === 'Ready') ?? {}
  return isTrue('Stalled')
    ? [`It needs a change: ${message}`]
    : [`It waits, and is checked again when that changes: ${message}`]
}

function nextOfOrchestration({ metadata, spec }: Orchestration): string[] {
  const required = (spec?.parameters ?? []).filter(
    (one) => one.required && one.default === undefined,
  )
  const given = required.map(({ name }) => ` -p ${name}=VALUE`).join('')
  return [
    `It can be run: agentctl run --orchestration ${metadata.name}${given}`,
    `To see its steps: agentctl graph orchestration ${metadata.name}`,
  ]
}

function nextOfSchedule({ metadata, spec, status }: Schedule, now: Date): string[] {
  const { name } = metadata
  const { nextRunTime, lastRunRef, missedRuns = 0 } = status ?? {}
  const { kind = 'AgentRun', name: last } = lastRunRef ?? {}
  return [
    spec.suspend
      ? `It is suspended and starts nothing. To resume it: agentctl schedule resume ${name}`
      : nextRunTime === undefined
        ? 'Its cron expression never matches: no run is due.'
        : `The next run is due at ${nextRunTime}${distance(nextRunTime, now)}.`,
    `To start a run at once: agentctl schedule trigger ${name}`,
    ...(last === undefined
      ? []
      : [`The last run was ${last}: agentctl explain ${kind.toLowerCase()} ${last}`]),
    ...(missedRuns > 0 ? [`${missedRuns} runs were not started: missed, or skipped.`] : []),
  ]
}

function distance(at: string, now: Date): string {
  const ms = Date.parse(at) - now.getTime()
  return ms > 0 ? `, in ${shortDuration(ms)}` : ''
}
