import type { Json } from '@agents/crd'
import type { Orchestration } from '@agents/jangar-api'

export type OrchestrationSpec = NonNullable<Orchestration['spec']>

/** A step as it is in the spec. */
export type RawStep = OrchestrationSpec['steps'][number]

/** The kinds of steps that can be run. */
export const stepKinds = [
  'AgentRun',
  'ToolRun',
  'SubOrchestration',
  'ApprovalGate',
  'SignalWait',
  'Checkpoint',
  'MemoryOp',
] as const

export type StepKind = (typeof stepKinds)[number]

export interface GraphLoop {
  /** The items, or the path of the list: `parameters.x` or `steps.NAME.outputs.x`. */
  readonly list: { readonly items: readonly Json[] } | { readonly from: string }
  /** Undefined: no limit of its own. */
  readonly maxParallel: number | undefined
}

/** A step with its defaults filled in. */
export interface GraphStep {
  readonly name: string
  readonly kind: StepKind
  /** Names of other steps, each once. */
  readonly dependsOn: readonly string[]
  readonly runAfter: 'Succeeded' | 'Finished'
  readonly finally: boolean
  readonly when: string | undefined
  /** For SignalWait. */
  readonly match: string | undefined
  readonly forEach: GraphLoop | undefined
  readonly retries: number
  readonly retryBackoffSeconds: number
  /** Of one attempt; 0: none. */
  readonly timeoutSeconds: number
  readonly inputs: RawStep
}

export interface GraphParameter {
  readonly name: string
  readonly default: string | undefined
  readonly required: boolean
  /** Undefined: any value. */
  readonly values: readonly string[] | undefined
}

/** A valid graph: names are unique, dependencies form no cycle, templates and expressions refer to what can exist. */
export interface Graph {
  /** In the order of the spec. */
  readonly steps: readonly GraphStep[]
  /** Undefined: none is declared, and a run may set any. */
  readonly parameters: readonly GraphParameter[] | undefined
  /** Templates by name. */
  readonly outputs: Readonly<Record<string, string>>
  readonly policies: {
    readonly failFast: boolean
    /** 0: no limit. */
    readonly parallelism: number
    /** 0: no timeout. */
    readonly timeoutSeconds: number
  }
}
