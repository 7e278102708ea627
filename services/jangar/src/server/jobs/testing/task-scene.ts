import type { Job, Pod } from '@agents/kube'
import { expect } from 'vitest'
import { advanceTask, type Submission } from '../advance-task.ts'
import type { AttemptJobs } from '../attempt-jobs.ts'
import { noOutput } from '../output/pod-output.ts'
import type { TaskLimits, TaskState } from '../task-state.ts'

export const now = new Date('2026-01-01T12:00:00Z')
const jobRef = { name: 'a-job', namespace: 'n', uid: 'uid' }
export const running: TaskState = {
  phase: 'Running',
  attempt: 1,
  jobRef,
  submittedAt: '2026-01-01T11:59:00Z',
  startedAt: '2026-01-01T11:59:30Z',
}
export const once: TaskLimits = { retries: 0, retryBackoffSeconds: 5, timeoutSeconds: 60 }
export const twice: TaskLimits = { ...once, retries: 1 }

function conditions(...types: string[]) {
  return types.map((type) => ({ type, status: 'True' as const }))
}

export function deletedAfterItsEnd(type: 'Complete' | 'Failed'): Job {
  const lastTransitionTime = '2026-01-01T11:59:50Z'
  return {
    ...job([], '2026-01-01T11:59:59Z'),
    status: { conditions: [{ type, status: 'True', lastTransitionTime }] },
  }
}

export function job(types: string[] = [], deletionTimestamp?: string): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...jobRef, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
    spec: { template: { spec: { containers: [] } } },
    status: { conditions: conditions(...types) },
  }
}

export function ended(exitCode: number): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [] },
    status: {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [
        {
          name: 'agent-runner',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode } },
        },
      ],
    },
  }
}

/** What a task finds when it is advanced. */
export interface Scene {
  readonly state: TaskState
  readonly limits?: TaskLimits
  /** If omitted, the Job does not exist. */
  readonly job?: Job
  readonly pod?: Pod
  /** Of a Job that no longer exists. */
  readonly stopped?: Pod | 'expected'
  readonly mayStart?: boolean
  /** If omitted, the Job is created. */
  readonly submission?: Submission
  /** A Job of the attempt that was created before. */
  readonly unrecorded?: Job
  /** If omitted, the limit of the attempt. */
  readonly runnerLimitSeconds?: number
}

export async function advance({
  state,
  limits = once,
  job: existing,
  pod,
  stopped,
  mayStart = true,
  submission = { kind: 'submitted', job: job() },
  unrecorded,
  runnerLimitSeconds = limits.timeoutSeconds,
}: Scene) {
  const done: string[] = []
  const jobs = {
    find: async () => existing,
    podOf: async () => pod,
    stopped: { of: () => stopped },
    outputOf: async () => noOutput,
    stop: async () => void done.push('stop'),
  } as unknown as AttemptJobs
  const task = {
    state,
    limits,
    runnerLimitSeconds,
    jobs: () => (existing ? [existing] : []),
    submit: async (attempt: number) => {
      done.push(`submit ${attempt}`)
      return submission
    },
    unrecorded: () => unrecorded,
  }
  const { signal } = new AbortController()
  const report = await advanceTask(task, { jobs, now, signal, mayStart })
  return { ...report, done }
}

export interface TaskRow extends Scene {
  readonly because: string
  readonly phase: TaskState['phase']
  readonly cause?: string
  readonly done?: readonly string[]
}

export async function expectRow({ because: _, phase, cause, done = [], ...scene }: TaskRow) {
  const report = await advance(scene)
  expect({ phase: report.state.phase, cause: report.cause, done: report.done }).toEqual({
    phase,
    cause,
    done,
  })
}
