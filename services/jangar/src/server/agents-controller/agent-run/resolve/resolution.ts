import type {
  Agent,
  AgentProvider,
  AgentRun,
  agentRunConditions,
  FailureClass,
  Memory,
} from '@agents/jangar-api'
import type { ReasonOf } from '@agents/status'
import type { BranchPolicy } from '../../../../run-contract/repository/branch-policy.ts'
import type { PushPolicy } from '../../../../run-contract/repository/push-policy.ts'
import type { VcsContext } from '../../../../run-contract/vcs-context.ts'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import type { CoreCaches } from '../../../caches/core-caches.ts'
import type { RunClaims } from '../../../kubernetes/run-claims.ts'
import type { BindingRule } from '../../../primitives-policy/secret-bindings.ts'
import type { IsPlatformAccount } from '../../../primitives-policy/service-accounts.ts'
import type { AgentsPorts } from '../../ports.ts'
import type { GitSkills } from './git-skills.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

/** The resolved references of a run or of one step, or why they cannot be resolved now or ever. */
export type Resolution = Resolved | Waiting | Refused

export interface Resolved {
  readonly kind: 'resolved'
  readonly work: ResolvedWork
}

/** A dependency is missing or not ready. The run is requeued when it appears. */
export interface Waiting {
  readonly kind: 'waiting'
  readonly reason: 'DependencyMissing' | 'DependencyNotReady' | 'VcsAuthUnavailable'
  readonly message: string
}

/** The run can never execute as specified. */
export interface Refused {
  readonly kind: 'refused'
  readonly reason: Refusal
  readonly message: string
  /** For `status.contract`, if the contract is the reason. */
  readonly contract?: ContractStatus
}

export type Refusal = Exclude<
  ReasonOf<typeof agentRunConditions, 'Accepted'>,
  'Accepted' | Waiting['reason'] | 'NotChecked' | 'Blocked' | 'CheckFailed'
>

export type Problem = Waiting | Refused

/** What resolving a run depends on. It reads caches only, so that resolving again is cheap. */
export interface ResolutionPorts {
  readonly caches: Pick<
    AgentsCaches & CoreCaches,
    | 'agents'
    | 'agentProviders'
    | 'agentRuns'
    | 'implementationSpecs'
    | 'versionControlProviders'
    | 'memories'
    | 'secretBindings'
    | 'workspaces'
    | 'secrets'
    | 'configMaps'
  >
  readonly config: AgentsPorts['config']
  readonly isPlatformAccount: IsPlatformAccount
  /** What SecretBindings allow the run that is resolved. Set while it is resolved. */
  readonly bindingRule?: BindingRule | undefined
  /** If omitted, branches and keys in use are found in the status of other runs only. */
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

/** Everything that one Job is built from, checked against all policies. Contains no values of Secrets. */
export interface ResolvedWork {
  readonly agent: Agent
  readonly provider: AgentProvider
  readonly implementation: Implementation
  /** Undefined if the implementation is inline. */
  readonly implementationName?: string
  /** The parameters of the run and the step. `base` and `head` default to the branches of the repository. */
  readonly parameters: Readonly<Record<string, string>>
  /** Metadata of the work by canonical key, whichever alias the parameters use. */
  readonly metadata: Readonly<Record<string, string>>
  readonly memory?: Memory
  /** All keys of the Memory's Secret, if the Memory specifies no key. */
  readonly memoryKeys?: readonly string[]
  readonly vcs?: ResolvedVcs
  readonly gitSkills?: GitSkills
  /** Whether its program runs through agent-runner, which submits commits to the publisher. */
  readonly submitsWork: boolean
  readonly systemPrompt?: SystemPrompt
  /** Lower-case owner/name, for limits per repository. */
  readonly repository?: string
  /** Time limit of this Job. 0: no limit. */
  readonly timeoutSeconds: number
  /** Time limit of the whole run, counted from its start. 0: no limit. Same as `timeoutSeconds` in the job runtime. */
  readonly runTimeoutSeconds: number
  /** Time limit from the creation of a Job to the start of its container. 0: no limit. */
  readonly startTimeoutSeconds: number
  /** How often this Job is retried after a failure. */
  readonly retries: number
  readonly retryBackoffSeconds: number
  /** Classes of failures after which it is retried. If omitted, all that can be. */
  readonly retryOn?: readonly FailureClass[]
  readonly image: string
  readonly serviceAccount?: string
  /** Secrets whose keys become environment variables, with the names of the keys as far as they are known. */
  readonly secrets: readonly SecretKeys[]
  /** Single keys of Secrets that become environment variables, by the defaults of the agent. */
  readonly secretVariables?: readonly SecretVariable[]
  readonly workload: Workload
  readonly settings: RuntimeSettings
  /** Credentials of the agent program, mounted as a file. */
  readonly authSecret?: KeyRef & { readonly mountPath: string }
  readonly contract?: ContractStatus
  /** Human-readable notes about optional features that the run does not get, and why. */
  readonly notes: readonly string[]
}

export interface SecretKeys {
  readonly name: string
  readonly keys: readonly string[]
}

export interface SecretVariable {
  readonly variable: string
  readonly secret: string
  readonly key: string
}

export type SystemPrompt =
  /** `hash`: SHA-256 in hexadecimal, for `status.systemPromptHash`. */
  | { readonly kind: 'inline'; readonly text: string; readonly hash: string }
  /** The text is mounted. The controller reads ConfigMaps only to compute the hash, and never reads Secrets. */
  | ({ readonly kind: 'Secret' | 'ConfigMap' } & KeyRef)

export interface ResolvedVcs {
  /** Written to run.json. Contains no credentials. */
  readonly context: VcsContext
  readonly auth: VcsAuth
  /** The policy of the VersionControlProvider. The publisher enforces it again, with the remote's default branch. */
  readonly branchPolicy?: BranchPolicy
  /** The publisher enforces it. */
  readonly pushPolicy?: PushPolicy
  /** Whether the publisher fails if there is nothing to push. */
  readonly requireChanges?: boolean
  /** For `status.vcs`. */
  readonly status: VcsStatus
}

export type VcsAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly secret: KeyRef; readonly username: string }
  | {
      readonly kind: 'ssh'
      readonly secret: KeyRef
      readonly knownHosts?: KeyRef
      readonly hostKeyPolicy: 'Strict' | 'AcceptNew'
    }
