import type { Agent, AgentProvider, AgentRun, agentRunConditions, Memory } from '@agents/jangar-api'
import type { ReasonOf } from '@agents/status'
import type { VcsContext } from '../../../../runner/contract/vcs-context.ts'
import type { AgentsCaches } from '../../agents-caches.ts'
import type { AgentsPorts } from '../../ports.ts'
import type { RunClaims } from './run-claims.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

/** What a run, or one step of it, is made of; or why that cannot be said now, or ever. */
export type Resolution = Resolved | Waiting | Refused

export interface Resolved {
  readonly kind: 'resolved'
  readonly work: ResolvedWork
}

/** Something is not there yet; whoever makes it appear wakes the run. */
export interface Waiting {
  readonly kind: 'waiting'
  readonly reason: 'DependencyMissing' | 'DependencyNotReady' | 'VcsAuthUnavailable'
  readonly message: string
}

/** The run can never run as it is written. */
export interface Refused {
  readonly kind: 'refused'
  readonly reason: Refusal
  readonly message: string
  /** For `status.contract`, when the refusal is about it. */
  readonly contract?: ContractStatus
}

export type Refusal = Exclude<
  ReasonOf<typeof agentRunConditions, 'Accepted'>,
  'Accepted' | Waiting['reason'] | 'NotChecked' | 'Blocked' | 'CheckFailed'
>

export type Problem = Waiting | Refused

/** The part of the world that says what a run is made of. Read from caches alone, so that asking costs nothing. */
export interface ResolutionPorts {
  readonly caches: Pick<
    AgentsCaches,
    | 'agents'
    | 'agentProviders'
    | 'agentRuns'
    | 'implementationSpecs'
    | 'versionControlProviders'
    | 'memories'
    | 'secrets'
    | 'configMaps'
  >
  readonly config: AgentsPorts['config']
  /** Not given: runs are told apart by their statuses alone. */
  readonly claims?: RunClaims
}

export type AgentRunSpec = AgentRun['spec']
export type WorkflowStep = NonNullable<AgentRunSpec['workflow']>['steps'][number]
export type Workload = NonNullable<AgentRunSpec['workload']>
export type Implementation = NonNullable<AgentRunSpec['implementation']>['inline']
export type ContractStatus = NonNullable<NonNullable<AgentRun['status']>['contract']>
export type VcsStatus = NonNullable<NonNullable<AgentRun['status']>['vcs']>

/** One key of a Secret or ConfigMap in the run's namespace. */
export interface KeyRef {
  readonly name: string
  readonly key: string
}

/** Everything that one Job is built from, all of it allowed. No value of a Secret is in here. */
export interface ResolvedWork {
  readonly agent: Agent
  readonly provider: AgentProvider
  readonly implementation: Implementation
  /** Undefined where the work is written out in the run. */
  readonly implementationName?: string
  /** Those of the run and the step, and `base` and `head` of the repository where they name none. */
  readonly parameters: Readonly<Record<string, string>>
  /** What is known about the work, by key, whatever it was called in the parameters. */
  readonly metadata: Readonly<Record<string, string>>
  readonly memory?: Memory
  readonly vcs?: ResolvedVcs
  readonly systemPrompt?: SystemPrompt
  /** Lower-cased owner/name, to count by. */
  readonly repository?: string
  /** How long this Job may take; 0: no limit. */
  readonly timeoutSeconds: number
  /** How long the run as a whole may take once started; 0: no limit. For the job runtime the same as `timeoutSeconds`. */
  readonly runTimeoutSeconds: number
  /** How often this Job is tried again after it failed. */
  readonly retries: number
  readonly retryBackoffSeconds: number
  readonly image: string
  readonly serviceAccount?: string
  /** Whose keys become environment variables, with the names of the keys as far as they are known. */
  readonly secrets: readonly SecretKeys[]
  readonly workload: Workload
  readonly settings: RuntimeSettings
  /** The agent program's own credentials, mounted as a file. */
  readonly authSecret?: KeyRef & { readonly mountPath: string }
  readonly contract?: ContractStatus
  /** For people: what the run goes without, and why. */
  readonly notes: readonly string[]
}

export interface SecretKeys {
  readonly name: string
  readonly keys: readonly string[]
}

export type SystemPrompt =
  /** `hash`: SHA-256 in hexadecimal, for `status.systemPromptHash`. */
  | { readonly kind: 'inline'; readonly text: string; readonly hash: string }
  /** The text is mounted. The controller reads that of a ConfigMap for its hash alone, and never that of a Secret. */
  | ({ readonly kind: 'Secret' | 'ConfigMap' } & KeyRef)

export interface ResolvedVcs {
  /** Goes into run.json. Holds no credential. */
  readonly context: VcsContext
  readonly auth: VcsAuth
  /** For `status.vcs`. */
  readonly status: VcsStatus
}

export type VcsAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly secret: KeyRef; readonly username: string }
  | { readonly kind: 'ssh'; readonly secret: KeyRef; readonly knownHosts?: KeyRef }
