import type { ApiObject } from '@agents/client'
import { graphOf } from '../graph/graph.ts'
import { conditionOf, type RunObject, runObject } from '../parts/run-object.ts'

/** Something of a run that took time, or happened. */
export interface TimelineRow {
  readonly name: string
  /** 0 for gates and steps, 1 for what belongs to the row above. */
  readonly depth: 0 | 1
  readonly phase: string | undefined
  readonly from: string | undefined
  /** Undefined while it lasts. */
  readonly to: string | undefined
  readonly note: string | undefined
}

const gates = ['Accepted', 'Approved', 'Admitted', 'Started'] as const

/** The gates that the run passed, its steps and their attempts, in the order in which they began. */
export function timelineOf(object: ApiObject): readonly TimelineRow[] {
  const run = runObject(object)
  const { creationTimestamp } = object.metadata
  const steps = object.kind === 'OrchestrationRun' ? graphRows(object) : workflowRows(run)
  return [...gateRows(run, creationTimestamp), ...steps, ...workRow(run)]
}

/** Each gate takes the time since the one before it. */
function gateRows(run: RunObject, createdAt: string | undefined): readonly TimelineRow[] {
  let from = createdAt
  const rows: TimelineRow[] = []
  for (const type of gates) {
    const { status, lastTransitionTime, message } = conditionOf(run, type) ?? {}
    if (status === undefined) continue
    const isPassed = status === 'True'
    const to = isPassed ? lastTransitionTime : undefined
    const phase = isPassed ? 'Succeeded' : 'Pending'
    rows.push({ name: type, depth: 0, phase, from, to, note: isPassed ? undefined : message })
    if (!isPassed) break
    from = to
  }
  return rows
}

/** The work itself, from its start to its end. */
function workRow({ status }: RunObject): readonly TimelineRow[] {
  const { startedAt, finishedAt, attempts = 0, phase } = status
  if (startedAt === undefined) return []
  const note = attempts > 1 ? `${attempts} attempts` : undefined
  return [{ name: 'Work', depth: 0, phase, from: startedAt, to: finishedAt, note }]
}

function workflowRows({ status }: RunObject): readonly TimelineRow[] {
  const steps = status.workflow?.steps ?? []
  return steps.map(({ name = '', phase, startedAt, finishedAt, attempt = 1, message }) => ({
    ...{ name, phase, from: startedAt, to: finishedAt, depth: 0 },
    note: attempt > 1 ? `attempt ${attempt}` : message,
  }))
}

function graphRows(object: ApiObject): readonly TimelineRow[] {
  const { stepStatuses } = graphOf(object.status)
  const begun = stepStatuses.filter(({ startedAt }) => startedAt !== undefined)
  return begun
    .toSorted((a, b) => firstStart(a).localeCompare(firstStart(b)))
    .flatMap((step) => {
      const { name, phase, message, attempt = 1, attempts = [], startedAt, finishedAt } = step
      const row = { name, depth: 0, phase, from: firstStart(step), to: finishedAt, note: message }
      if (attempts.length === 0) return [row as TimelineRow]
      const earlier = attempts.map((each) => ({
        ...{ name: `attempt ${each.attempt}`, depth: 1, phase: 'Failed' },
        ...{ from: each.startedAt, to: each.finishedAt, note: each.message ?? each.reason },
      }))
      const last = { name: `attempt ${attempt}`, depth: 1, phase, from: startedAt, to: finishedAt }
      return [row, ...earlier, { ...last, note: undefined }] as readonly TimelineRow[]
    })
}

function firstStart(step: ReturnType<typeof graphOf>['stepStatuses'][number]): string {
  return step.attempts?.[0]?.startedAt ?? step.startedAt ?? ''
}

/** Where a bar is between the first and the last moment, in percent. */
export function barOf(
  { from, to }: Pick<TimelineRow, 'from' | 'to'>,
  [first, last]: readonly [number, number],
): { readonly left: number; readonly width: number } {
  const whole = Math.max(last - first, 1)
  const start = Date.parse(from ?? '')
  if (Number.isNaN(start)) return { left: 0, width: 0 }
  const end = Date.parse(to ?? '')
  const left = Math.min(Math.max(((start - first) / whole) * 100, 0), 100)
  const until = Number.isNaN(end) ? 100 : ((end - first) / whole) * 100
  // What was over within a second is seen, too.
  return { left: Math.min(left, 99), width: Math.max(Math.min(until, 100) - left, 1) }
}
