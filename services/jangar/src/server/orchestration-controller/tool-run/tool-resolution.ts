import type { Tool, ToolRun, toolRunConditions } from '@agents/jangar-api'
import type { ReasonOf } from '@agents/status'
import type { ControllersConfig } from '../../../config/controllers.ts'
import type { CoreCaches } from '../../caches/core-caches.ts'
import type { OrchestrationCaches } from '../../caches/orchestration-caches.ts'
import type { Decided } from '../../jobs/runtime-ref.ts'
import type { TaskLimits } from '../../jobs/task-state.ts'
import type { DependencyProblem } from '../../kubernetes/dependency.ts'
import type { RunClaims } from '../../kubernetes/run-claims.ts'
import type { IsPlatformAccount } from '../../primitives-policy/service-accounts.ts'

/** Everything that the Jobs of a ToolRun are made of. */
export interface ToolWork {
  readonly tool: Tool
  /** The Memory of the operation, if the run is one; the tool is that of the platform then. */
  readonly memory?: string
  readonly image: string
  readonly command: readonly string[]
  readonly args: readonly string[]
  /** Without variables from Secrets. */
  readonly values: readonly (readonly [name: string, value: string])[]
  readonly serviceAccount: string | undefined
  readonly decided: Decided
  readonly limits: TaskLimits
}

/** The run can never execute as specified. */
export interface ToolRunRefused {
  readonly kind: 'refused'
  readonly reason: Exclude<
    ReasonOf<typeof toolRunConditions, 'Accepted'>,
    'Accepted' | DependencyProblem['reason'] | 'NotChecked' | 'Blocked' | 'CheckFailed'
  >
  readonly message: string
}

export type ToolResolution =
  | { readonly kind: 'resolved'; readonly work: ToolWork }
  | DependencyProblem
  | ToolRunRefused

/** What resolving a run depends on. It reads caches only, so that resolving again is cheap. */
export interface ToolResolutionPorts {
  readonly caches: Pick<
    OrchestrationCaches,
    'tools' | 'toolRuns' | 'memories' | 'versionControlProviders' | 'secretBindings'
  > &
    Pick<CoreCaches, 'secrets' | 'configMaps'>
  readonly config: Pick<ControllersConfig, 'agents' | 'runner'> &
    Partial<Pick<ControllersConfig, 'pod'>>
  readonly claims?: RunClaims | undefined
  readonly isPlatformAccount: IsPlatformAccount
}

export function refused(reason: ToolRunRefused['reason'], message: string): ToolRunRefused {
  return { kind: 'refused', reason, message }
}

/** The spec, which the definition does not require. */
export function specOf(run: ToolRun): Partial<ToolRun['spec']> {
  return run.spec ?? {}
}
