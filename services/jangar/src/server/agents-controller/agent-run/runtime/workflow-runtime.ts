import type { AgentRun } from '@agents/jangar-api'
import { rfc3339, rfc3339NotBefore } from '@agents/status'
import { advanceTask, type TaskReport } from '../../../jobs/advance-task.ts'
import { jobName } from '../../../jobs/attempt-names.ts'
import type { AttemptFailure } from '../../../jobs/failure-class.ts'
import { isExhausted, refusalFailure } from '../../../jobs/run-progress.ts'
import {
  type Decided,
  decidedIn,
  limitsOf,
  runtimeRefOf,
  undecided,
  writtenRef,
} from '../../../jobs/runtime-ref.ts'
import { submitJob } from '../../../jobs/submit-job.ts'
import type { TaskLimits } from '../../../jobs/task-state.ts'
import { hasFinished, isActive } from '../../../jobs/work-phase.ts'
import type { WorkflowStep } from '../resolve/resolution.ts'
import type { RunDetail, StepStatus, WorkflowStatus } from '../run-detail.ts'
import type { StepOutputs } from '../workload/work-objects.ts'
import { decidedBy } from './decided-by.ts'
import type { Failure } from './failure.ts'
import { endDetail, resultDetail } from './result-detail.ts'
import { type AgentRunProgress, type Runtime, type RuntimeContext, verifiedIn } from './runtime.ts'
import { stateOfStep, statusOfStep } from './step-status.ts'

/** Runs the steps one after the other; each attempt of a step is a Job. */
export const workflowRuntime: Runtime = {
  advance: async (run, context) => {
    const steps = run.spec.workflow?.steps ?? []
    const states = stepStatesOf(run, steps, context.now)
    for (const index of steps.keys()) {
      if (states.statuses[index]?.phase === 'Succeeded') continue
      const report = await advanceStep(run, index, states, context)
      // The next step starts in the same reconcile: the status is written once, and derived again if the write fails.
      if (report.state.phase !== 'Succeeded' || !context.mayStart) {
        return progressOf(run, states, index, report, context.now)
      }
    }
    return progressOf(run, states, steps.length - 1, undefined, context.now)
  },
  stopped: (run, message, now) => {
    if (!run.status?.workflow) return {}
    const { statuses } = stepStatesOf(run, run.spec.workflow?.steps ?? [], now)
    const stopped = statuses.map((step) => {
      if (!isActive(step.phase)) return step
      const { nextRetryAt: _, ...rest } = step
      const at = rfc3339NotBefore(now, step.startedAt)
      return { ...rest, phase: 'Failed', message, finishedAt: at, lastTransitionTime: at }
    })
    return { workflow: workflowStatus(run, 'Failed', stopped, now) }
  },
}

/** The state of all steps, updated during a reconcile. */
interface StepStates {
  readonly statuses: StepStatus[]
  /** Undefined before the first Job was created. */
  decided: Decided | undefined
  /** Of the current step. */
  limits: TaskLimits
  detail: Partial<RunDetail>
  firstSubmittedAt: string | undefined
}

function stepStatesOf(run: AgentRun, steps: readonly WorkflowStep[], now: Date): StepStates {
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
  states: StepStates,
  context: RuntimeContext,
): Promise<TaskReport> {
  const { jobs, factory, now } = context
  const step = run.spec.workflow?.steps[index]
  if (!step) throw new TypeError(`the workflow has no step ${index}`)
  const before = states.statuses[index]
  const state = stateOfStep(before)
  const report = await advanceTask(
    {
      state,
      limits: states.limits,
      runnerLimitSeconds: states.limits.timeoutSeconds,
      jobs: () => jobs.of(run).filter(({ metadata }) => metadata.name === state.jobRef?.name),
      submit: async (attempt) => {
        const resolution = factory.resolve(run, step)
        if (resolution.kind !== 'resolved') return resolution
        const { work } = resolution
        const permit = await factory.permit?.(run, work, context.signal)
        if (permit?.kind === 'refused') return permit
        const objects = factory.build(work, {
          run,
          ...verifiedIn(permit),
          step: { name: step.name, index: index + 1 },
          attempt,
          stepOutputs: outputsOf(states.statuses),
        })
        if (objects.kind === 'refused') return objects
        states.limits = limitsOf(work, work.timeoutSeconds)
        states.decided ??= decidedBy(work)
        states.firstSubmittedAt ??= rfc3339(now)
        return submitJob(() => jobs.submit(run, objects, context))
      },
      unrecorded: (attempt) => {
        const name = jobName(run.metadata.name, { stepIndex: index + 1, attempt })
        return jobs.of(run).find(({ metadata }) => metadata.name === name)
      },
    },
    context,
  )
  if (report.state.jobRef) {
    states.decided ??= undecided
    states.firstSubmittedAt ??= rfc3339(now)
  }
  const { results } = report
  states.statuses[index] = statusOfStep(
    step.name,
    report.state,
    before,
    now,
    results?.report?.outputs ?? before?.outputs,
  )
  const soFar = { ...run, status: { ...run.status, ...states.detail } } as AgentRun
  if (results) states.detail = { ...states.detail, ...resultDetail(soFar, results) }
  states.detail = { ...states.detail, ...endDetail(soFar, report) }
  return report
}

function outputsOf(statuses: readonly StepStatus[]): StepOutputs[] {
  return statuses.flatMap(({ name, outputs }) =>
    name && outputs ? [[name, outputs] as const] : [],
  )
}

function progressOf(
  run: AgentRun,
  states: StepStates,
  index: number,
  report: TaskReport | undefined,
  now: Date,
): AgentRunProgress {
  const { statuses, limits, decided } = states
  const step = statuses[index]
  const isLast = index === statuses.length - 1
  const isDone = report === undefined || (isLast && report.state.phase === 'Succeeded')
  const phase = isDone ? 'Succeeded' : phaseOf(report)
  const started =
    run.status?.startedAt !== undefined || statuses.some(({ startedAt }) => startedAt !== undefined)
  const { cause, problem, requeueAfterMs = Number.POSITIVE_INFINITY, results } = report ?? {}
  return {
    phase,
    started,
    message: isDone ? `all ${statuses.length} steps succeeded` : describe(index, statuses),
    requeueAfterMs,
    ...(problem && { problem }),
    ...(report && cause && { cause, failure: failureOf(cause, report, limits) }),
    ...(cause && { failedAttempt: describe(index, statuses) }),
    ...(results && { results }),
    detail: {
      ...states.detail,
      ...(hasFinished(phase) && started && !run.status?.startedAt && { startedAt: rfc3339(now) }),
      ...(decided && {
        attempts: statuses.reduce((total, { attempt = 0 }) => total + attempt, 0),
        runtimeRef: writtenRef({
          type: 'workflow',
          ...step?.jobRef,
          stepName: step?.name,
          submittedAt: states.firstSubmittedAt,
          ...decided,
          limits,
        }),
      }),
      workflow: workflowStatus(run, phase === 'Retrying' ? 'Running' : phase, statuses, now),
    },
  }
}

/**
 * The phase of a run with this step. A step that succeeded is not the end: others follow, though none may start now.
 */
function phaseOf({ state: { phase } }: TaskReport): 'Running' | 'Retrying' | 'Failed' {
  return phase === 'Retrying' || phase === 'Failed' ? phase : 'Running'
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
  if (phase === 'Running') return `${which} is running as Job ${jobRef?.name}`
  return message ? `${which}: ${message}` : which
}

function failureOf(
  cause: AttemptFailure,
  { state, refusal }: TaskReport,
  limits: TaskLimits,
): Failure {
  const refused = refusalFailure(refusal)
  if (refused !== undefined) return refused
  if (cause === 'missing') return 'JobMissing'
  if (cause === 'timedOut') return 'WorkflowStepTimedOut'
  return cause === 'failed' && isExhausted(state, limits)
    ? 'WorkflowStepRetriesExhausted'
    : 'WorkflowStepFailed'
}
