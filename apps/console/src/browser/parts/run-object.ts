import type { ApiObject } from '@agents/client'

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export interface WorkflowStep {
  readonly name?: string
  readonly phase?: string
  readonly attempt?: number
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly message?: string
}

export interface PullRequest {
  readonly number?: number
  readonly url?: string
  readonly state?: string
  readonly draft?: boolean
  readonly checks?: string
  readonly reviewDecision?: string
  readonly message?: string
}

/** The parts of a run's object that pages show. All may be missing: kinds and versions differ. */
export interface RunObject {
  readonly spec: {
    readonly agentRef?: { readonly name?: string }
    readonly implementationSpecRef?: { readonly name?: string }
    readonly implementation?: {
      readonly inline?: { readonly text?: string; readonly summary?: string }
    }
    readonly parameters?: Readonly<Record<string, string>>
    readonly systemPrompt?: string
    readonly runtime?: { readonly type?: string }
    readonly retries?: number
    readonly cancel?: boolean
    readonly toolRef?: { readonly name?: string }
    readonly orchestrationRef?: { readonly name?: string }
  }
  readonly status: {
    readonly phase?: string
    readonly conditions?: readonly Condition[]
    readonly startedAt?: string
    readonly finishedAt?: string
    readonly attempts?: number
    readonly exitCode?: number
    readonly failureClass?: string
    readonly nextRetryAt?: string
    readonly summary?: string
    readonly outputs?: Readonly<Record<string, string>>
    readonly warnings?: readonly string[]
    readonly queue?: { readonly position?: number; readonly eligibleAt?: string }
    readonly usage?: {
      readonly inputTokens?: number
      readonly cachedInputTokens?: number
      readonly outputTokens?: number
      readonly totalTokens?: number
      readonly dollars?: string
    }
    readonly workflow?: { readonly steps?: readonly WorkflowStep[] }
    readonly vcs?: {
      readonly provider?: string
      readonly repository?: string
      readonly baseBranch?: string
      readonly headBranch?: string
      readonly commit?: string
      readonly pushed?: boolean
      readonly filesChanged?: number
      readonly insertions?: number
      readonly deletions?: number
      readonly pullRequest?: PullRequest
    }
  }
}

export function runObject({ spec, status }: ApiObject): RunObject {
  return { spec: spec ?? {}, status: status ?? {} } as RunObject
}

export function conditionOf({ status }: RunObject, type: string): Condition | undefined {
  return status.conditions?.find((each) => each.type === type)
}

export function isFinished(run: RunObject): boolean {
  return conditionOf(run, 'Finished')?.status === 'True'
}
