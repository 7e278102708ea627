import type { Artifact } from './artifact.ts'
import type { Outcome, Reason } from './outcome.ts'
import type { Usage } from './usage.ts'

/** An artifact that was found. */
export interface CollectedArtifact extends Artifact {
  readonly bytes?: number
  /** Of a file's content, in hexadecimal. */
  readonly sha256?: string
}

interface PullRequest {
  readonly number?: number
  readonly url?: string
}

/** The state of the repository after the run. */
export interface VcsResult {
  readonly repository: string
  readonly baseBranch?: string
  /** The branch that the work was pushed to. */
  readonly headBranch?: string
  /** The commit that was pushed, or that the work is based on. */
  readonly commit?: string
  readonly pushed: boolean
  /** What the pushed commits change, compared with the commit that the work is based on. */
  readonly filesChanged?: number
  readonly insertions?: number
  readonly deletions?: number
  /** Where work that could not be pushed is saved. */
  readonly bundle?: string
  readonly pullRequest?: PullRequest
}

/** A skill that was fetched from a repository. */
export interface FetchedSkill {
  readonly name: string
  readonly commit: string
}

/** How a run ended. */
export interface RunResult {
  readonly outcome: Outcome
  readonly reason: Reason
  readonly message: string
  readonly exitCode: number
  readonly signal?: string
  /** How long the model asked to wait when it refused requests. */
  readonly retryAfterSeconds?: number
  readonly startedAt: string
  readonly finishedAt: string
  /** The last message of the agent, shortened. */
  readonly summary?: string
  readonly usage?: Usage
  readonly artifacts: readonly CollectedArtifact[]
  /** Names of declared artifacts that do not exist. */
  readonly missingArtifacts: readonly string[]
  /** Values for later steps, as the program reported them. */
  readonly outputs?: Readonly<Record<string, string>>
  readonly vcs?: VcsResult
  readonly skills?: readonly FetchedSkill[]
  /** What the agent did without, such as an MCP server that did not start. */
  readonly warnings?: readonly string[]
}
