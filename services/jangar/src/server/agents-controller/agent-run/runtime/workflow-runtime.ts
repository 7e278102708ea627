import type { AgentRun } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import type { Failure, Progress } from '../progress.ts'
import type { WorkflowStep } from '../resolution/resolution.ts'
import type { RunDetail, StepStatus, WorkflowStatus } from '../run-detail.ts'
import { advanceTask, type Cause, type TaskLook, type TaskReport } from '../task/advance-task.ts'
import { handOver } from '../task/hand-over.ts'
import type { TaskLimits } from '../task/task-state.ts'
import type { StepOutputs } from '../workload/work-objects.ts'
import { isUnderWay, kindOf } from './job-runtime.ts'
import { resultDetail } from './result-detail.ts'
import type { Runtime, Workshop } from './runtime.ts'
import { type Decided, decidedBy, decidedIn, runtimeRefOf, writtenRef } from './runtime-ref.ts'
import { stateOfStep, statusOfStep } from './step-status.ts'

/** One step after the other, each as the Jobs of its attempts. */
export const workflowRuntime: Runtime = {
  advance: async (run, look, workshop) => {
    const steps = run.spec.workflow?.steps ?? []
    const course = courseOf(run, steps, look.now)
    for (const index of steps.keys()) {
      if (course.statuses[index]?.phase === 'Succeeded') continue
      const report = await advanceStep(run, index, course, look, workshop)
      // The next step begins in the same look: what was found is written once, and found again if that fails.
      if (report.state.phase !== 'Succeeded' || !look.mayStart) {
        return progressOf(run, course, index, report, look.now)
      }
    }
    return progressOf(run, course, steps.length - 1, undefined, look.now)
  },
  interrupted: (run, message, now) => {
    if (!run.status?.workflow) return {}
    const { statuses } = courseOf(run, run.spec.workflow?.steps ?? [], now)
    const stopped = statuses.map((step) => {
      if (!isUnderWay(step.phase)) return step
      const { nextRetryAt: _, ...rest } = step
      const at = rfc3339(now)
      return { ...rest, phase: 'Failed', message, finishedAt: at, lastTransitionTime: at }
    })
    return { workflow: workflowStatus(run, 'Failed', stopped, now) }
  },
}

/** How far the run has come, changed as the look goes on. */
interface Course {
  readonly statuses: StepStatus[]
  /** Undefined before the first step was handed over. */
  decided: Decided | undefined
  /** Of the step that is under way. */
  limits: TaskLimits
  detail: Partial<RunDetail>
  firstSubmittedAt: string | undefined
}

function courseOf(run: AgentRun, steps: readonly WorkflowStep[], now: Date): Course {
  const ref = runtimeRefOf(run)
  const known = run.status?.workflow?.steps ?? []
  return {
    statuses: steps.map(({ name }, index) =>
      statusOfStep(name, stateOfStep(known[index]), known[index], now),
    ),
    decided: ref && decidedIn(ref),
    limits: ref?.limits ?? { retries: 0, retryBackoffSeconds: 0, timeoutSeconds: 0 },
    detail: {},
    firstSubmittedAt: ref?.submittedAt,
  }
}

async function advanceStep(
  run: AgentRun,
  index: number,
  course: Course,
  look: TaskLook,
  workshop: Workshop,
): Promise<TaskReport> {
  const step = run.spec.workflow?.steps[index]
  if (!step) throw new TypeError(`the workflow has no step ${index}`)
  const before = course.statuses[index]
  const state = stateOfStep(before)
  const report = await advanceTask(
    {
      state,
      limits: course.limits,
      jobs: () => look.jobs.of(run).filter(({ metadata }) => metadata.name === state.jobRef?.name),
      submit: async (attempt) => {
        const resolution = workshop.resolve(run, step)
        if (resolution.kind !== 'resolved') return resolution
        const { work } = resolution
        const objects = workshop.build(work, {
          run,
          step: { name: step.name, index: index + 1 },
          attempt,
          stepOutputs: outputsOf(course.statuses),
        })
        if (objects.kind === 'refused') return objects
        const { retries, retryBackoffSeconds, timeoutSeconds } = work
        course.limits = { retries, retryBackoffSeconds, timeoutSeconds }
        course.decided ??= decidedBy(work)
        course.firstSubmittedAt ??= rfc3339(look.now)
        return handOver(() => look.jobs.submit(run, objects, look))
      },
    },
    look,
  )
  const { results } = report
  course.statuses[index] = statusOfStep(
    step.name,
    report.state,
    before,
    look.now,
    results?.report?.outputs ?? before?.outputs,
  )
  if (results) {
    const soFar = { ...run, status: { ...run.status, ...course.detail } } as AgentRun
    course.detail = { ...course.detail, ...resultDetail(soFar, results) }
  }
  return report
}

function outputsOf(statuses: readonly StepStatus[]): StepOutputs[] {
  return statuses.flatMap(({ name, outputs }) =>
    name && outputs ? [[name, outputs] as const] : [],
  )
}

function progressOf(
  run: AgentRun,
  course: Course,
  index: number,
  report: TaskReport | undefined,
  now: Date,
): Progress {
  const { statuses, limits, decided } = course
  const step = statuses[index]
  const isLast = index === statuses.length - 1
  const isDone = report === undefined || (isLast && report.state.phase === 'Succeeded')
  const ofStep = report && kindOf(report.state.phase)
  // A step that is done is no end of the run while there are others, though none may begin now.
  const kind = isDone ? 'succeeded' : ofStep === 'succeeded' ? 'running' : (ofStep ?? 'running')
  const isOver = kind === 'succeeded' || kind === 'failed'
  const begun =
    run.status?.startedAt !== undefined || statuses.some(({ startedAt }) => startedAt !== undefined)
  const { cause, trouble, recheckAfterMs = Number.POSITIVE_INFINITY, results } = report ?? {}
  return {
    kind,
    begun,
    message: isDone ? `all ${statuses.length} steps are done` : describe(index, statuses),
    recheckAfterMs,
    ...(trouble && { trouble }),
    ...(cause && { cause, failure: failureOf(cause, limits) }),
    ...(cause && { failedAttempt: describe(index, statuses) }),
    ...(results && { results }),
    detail: {
      ...course.detail,
      ...(isOver && begun && !run.status?.startedAt && { startedAt: rfc3339(now) }),
      ...(decided && {
        attempts: statuses.reduce((total, { attempt = 0 }) => total + attempt, 0),
        runtimeRef: writtenRef({
          type: 'workflow',
          ...step?.jobRef,
          stepName: step?.name,
          submittedAt: course.firstSubmittedAt,
          ...decided,
          limits,
        }),
      }),
      workflow: workflowStatus(run, phaseOf(kind), statuses, now),
    },
  }
}

function phaseOf(kind: Progress['kind']): string {
  if (kind === 'succeeded') return 'Succeeded'
  return kind === 'failed' ? 'Failed' : 'Running'
}

function workflowStatus(
  { status }: AgentRun,
  phase: string,
  steps: StepStatus[],
  now: Date,
): WorkflowStatus {
  const before = status?.workflow
  const since = before?.phase === phase ? before.lastTransitionTime : undefined
  return { phase, lastTransitionTime: since ?? rfc3339(now), steps }
}

function describe(index: number, statuses: readonly StepStatus[]): string {
  const { name, phase, jobRef, message } = statuses[index] ?? {}
  const which = `step ${index + 1} of ${statuses.length} (${name})`
  if (phase === 'Running') return `${which} runs as Job ${jobRef?.name}`
  return message ? `${which}: ${message}` : which
}

function failureOf(cause: Cause, { retries }: TaskLimits): Failure {
  if (cause === 'missing') return 'JobMissing'
  if (cause === 'timedOut') return 'WorkflowStepTimedOut'
  return retries > 0 && cause === 'failed' ? 'WorkflowStepRetriesExhausted' : 'WorkflowStepFailed'
}
