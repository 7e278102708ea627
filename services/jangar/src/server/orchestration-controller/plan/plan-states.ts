/** What the plan needs of a step of the graph. */
export interface PlanStep {
  readonly name: string
  readonly kind: string
  readonly dependsOn: readonly string[]
  readonly runAfter: 'Succeeded' | 'Finished'
  readonly finally: boolean
  readonly when?: unknown
  readonly forEach?: { readonly maxParallel?: number | undefined } | undefined
  /** Further attempts after the first. */
  readonly retries: number
  readonly retryBackoffSeconds: number
  /** Of one attempt. 0: none. */
  readonly timeoutSeconds: number
}

export interface PlanGraph<Step extends PlanStep = PlanStep> {
  readonly steps: readonly Step[]
  readonly policies: {
    readonly failFast: boolean
    /** How many children run at the same time. 0: no limit. */
    readonly parallelism: number
  }
}

export type StepPhase =
  | 'Pending'
  | 'Running'
  | 'Retrying'
  | 'Succeeded'
  | 'Failed'
  | 'Skipped'
  | 'Cancelled'

/** Reasons of a step or an item. */
export type StepReason =
  | 'Cancelling'
  | 'ChildCancelled'
  | 'ChildConflict'
  | 'ChildMissing'
  | 'ChildRejected'
  | 'ConditionFalse'
  | 'DependencyFailed'
  | 'DependencySkipped'
  | 'ExpressionInvalid'
  | 'LoopLimit'
  | 'OutputsTooLarge'
  | 'RetriesExhausted'
  | 'Reused'
  | 'RunCancelled'
  | 'RunFailed'
  | 'RunTimedOut'
  | 'StepFailed'
  | 'StepTimedOut'
  | 'TemplateInvalid'
  | 'TimingOut'
  | 'WaitingForApproval'
  | 'WaitingForSignal'

export type Outputs = Readonly<Record<string, unknown>>

export interface ChildRef {
  readonly name: string
  readonly uid?: string | undefined
}

/** What is known of one piece of work: a step, or one item of a loop. Times are milliseconds since 1970. */
export interface UnitState {
  readonly phase: Exclude<StepPhase, 'Skipped'>
  /** Number of attempts that were begun. */
  readonly attempt: number
  /** Of the last attempt. */
  readonly startedAt?: number | undefined
  readonly finishedAt?: number | undefined
  readonly nextRetryAt?: number | undefined
  readonly reason?: StepReason | undefined
  readonly message?: string | undefined
  /** The object of the last attempt. */
  readonly child?: ChildRef | undefined
  readonly outputs?: Outputs | undefined
  /** Deliveries that existed when a wait began, in the same second. */
  readonly seen?: readonly string[] | undefined
}

/** What is known of a step. It has no units until it begins. */
export interface StepState {
  readonly name: string
  readonly phase: StepPhase
  readonly reason?: StepReason | undefined
  readonly message?: string | undefined
  /** Of its first attempt. */
  readonly startedAt?: number | undefined
  readonly finishedAt?: number | undefined
  readonly inputDigest?: string | undefined
  readonly outputs?: Outputs | undefined
  readonly units: readonly UnitState[]
}

export type ChildEnd =
  | { readonly kind: 'succeeded'; readonly outputs: Outputs }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'cancelled'; readonly message: string }
  /** It cannot be created. */
  | {
      readonly kind: 'refused'
      readonly reason: 'ChildRejected' | 'ChildConflict'
      readonly message: string
    }

/** An object that the run created, as it was last observed. */
export interface ObservedChild {
  /** The step that it belongs to. */
  readonly step: string
  /** The kinds of steps that create objects of its kind. */
  readonly stepKinds: readonly string[]
  readonly uid?: string | undefined
  readonly createdAt: number
  /** Whether it was told to stop. */
  readonly isCancelling: boolean
  /** Undefined while it runs. */
  readonly end?: ChildEnd | undefined
}

export interface PlanProblem {
  readonly reason: 'TemplateInvalid' | 'ExpressionInvalid' | 'LoopLimit'
  readonly problem: string
}

export function isProblem(value: unknown): value is PlanProblem {
  return typeof value === 'object' && value !== null && 'problem' in value
}

/** What an expression or a template of a step can refer to. */
export interface PlanScope {
  readonly steps: Readonly<
    Record<string, { readonly outputs: Outputs; readonly outcome: StepPhase }>
  >
  /** Only for `finally` steps. */
  readonly outcome?: 'Succeeded' | 'Failed' | 'Cancelled' | undefined
}

/** How the fields of a step are evaluated. All of these functions are pure. */
export interface StepEvaluation<Step extends PlanStep = PlanStep> {
  when(step: Step, scope: PlanScope): boolean | PlanProblem
  items(step: Step, scope: PlanScope): readonly unknown[] | PlanProblem
  /** The rendered fields that the result of the step depends on. */
  inputs(step: Step, scope: PlanScope, item: unknown): Outputs | PlanProblem
  digest(value: unknown): string
  /** Whether the outputs are small enough to be kept. */
  fits(outputs: Outputs): boolean
}

/** What a wait waits for. */
export interface Waits<Step extends PlanStep = PlanStep> {
  /** Deliveries that a wait that begins now has to ignore although they are not older than it. */
  seen(step: Step, inputs: Outputs): readonly string[]
  /** Outputs of the first delivery that ends the wait. */
  arrived(step: Step, unit: UnitState, inputs: Outputs): Outputs | undefined
}

/** Steps of an earlier run whose results can be taken over. */
export interface Reuse {
  readonly steps: ReadonlyMap<string, { readonly inputDigest: string; readonly outputs: Outputs }>
  /** Steps that run again in any case. */
  readonly again: ReadonlySet<string>
}

export interface PlanInput<Step extends PlanStep = PlanStep> {
  readonly graph: PlanGraph<Step>
  readonly steps: readonly StepState[]
  readonly children: ReadonlyMap<string, ObservedChild>
  readonly waits: Waits<Step>
  readonly evaluation: StepEvaluation<Step>
  /** Always the same for the same step, item and attempt. */
  childName(step: string, item: number | undefined, attempt: number): string
  readonly run: {
    readonly isCancelled: boolean
    /** When the time of the run is over. */
    readonly deadline?: number | undefined
  }
  readonly reuse?: Reuse | undefined
  readonly now: number
}

/**
 * The child with this name, if it is of a kind that the step creates: the outcome of an object of another kind, which
 * others may be able to create, does not count for the step.
 */
export function childOf(
  { children }: Pick<PlanInput, 'children'>,
  { kind }: Pick<PlanStep, 'kind'>,
  name: string,
): ObservedChild | undefined {
  const child = children.get(name)
  return child?.stepKinds.includes(kind) ? child : undefined
}

/** An object to create: the name says for which attempt. */
export interface ChildToCreate<Step extends PlanStep = PlanStep> {
  readonly name: string
  readonly step: Step
  readonly item?: number | undefined
  readonly attempt: number
  readonly inputs: Outputs
}

export interface PlanOutcome {
  readonly kind: 'succeeded' | 'failed' | 'cancelled'
  readonly reason?: StepReason | 'TimedOut' | undefined
  readonly message: string
}

export interface Plan<Step extends PlanStep = PlanStep> {
  readonly steps: readonly StepState[]
  readonly create: readonly ChildToCreate<Step>[]
  /** Names of children to stop. */
  readonly cancel: readonly string[]
  /** When to plan again if nothing happens before. */
  readonly wakeAt?: number | undefined
  /** Set when every step has ended and no child runs. */
  readonly outcome?: PlanOutcome | undefined
  /** Whether something follows from the absence of a child. A cache may be behind, so the server has to be asked. */
  readonly reliesOnAbsence: boolean
}

const ended: ReadonlySet<StepPhase> = new Set(['Succeeded', 'Failed', 'Skipped', 'Cancelled'])

export function hasEnded({ phase }: Pick<StepState | UnitState, 'phase'>): boolean {
  return ended.has(phase)
}

/** The kinds of steps that are an object of their own; the others wait, or end at once. */
export function hasChild({ kind }: Pick<PlanStep, 'kind'>): boolean {
  return childSteps.has(kind)
}

const childSteps: ReadonlySet<string> = new Set([
  'AgentRun',
  'ToolRun',
  'SubOrchestration',
  'MemoryOp',
  'ApprovalGate',
])
