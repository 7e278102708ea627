import type { Usage } from '../usage/usage.ts'
import type { Artifact } from './artifact.ts'
import type { Outcome, Reason } from './outcome.ts'

/** An artifact that was found. */
export interface CollectedArtifact extends Artifact {
  readonly bytes?: number
  /** Of a file's content, in hexadecimal. */
  readonly sha256?: string
}

export interface PullRequest {
  readonly number?: number
  readonly url?: string
}

/** What became of the repository. */
export interface VcsResult {
  readonly repository: string
  readonly baseBranch?: string
  readonly headBranch?: string
  /** The commit that the work ended at. */
  readonly commit?: string
  readonly pushed: boolean
  readonly pullRequest?: PullRequest
}

/** How a run ended. */
export interface RunResult {
  readonly outcome: Outcome
  readonly reason: Reason
  readonly message: string
  readonly exitCode: number
  readonly signal?: string
  readonly startedAt: string
  readonly finishedAt: string
  /** What the agent said last, shortened. */
  readonly summary?: string
  readonly usage?: Usage
  readonly artifacts: readonly CollectedArtifact[]
  /** Names of declared artifacts that were not there. */
  readonly missingArtifacts: readonly string[]
  /** Facts for later steps, as the program reported them. */
  readonly outputs?: Readonly<Record<string, string>>
  readonly vcs?: VcsResult
}
