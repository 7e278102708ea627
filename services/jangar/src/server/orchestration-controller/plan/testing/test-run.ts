import { plan } from '../plan.ts'
import type {
  ChildEnd,
  ObservedChild,
  Outputs,
  Plan,
  PlanInput,
  PlanOutcome,
  PlanProblem,
  PlanScope,
  PlanStep,
  Reuse,
  StepState,
  UnitState,
} from '../plan-states.ts'

export interface TestStep extends PlanStep {
  readonly when?: boolean | { readonly step: string; readonly is: string } | undefined
  readonly items?: readonly unknown[] | { readonly from: string } | undefined
  readonly prompt?: string | undefined
  /** Why it cannot be rendered. */
  readonly problem?: string | undefined
}

export function step(name: string, fields: Partial<TestStep> = {}): TestStep {
  return {
    name,
    kind: 'AgentRun',
    dependsOn: [],
    runAfter: 'Succeeded',
    finally: false,
    retries: 0,
    retryBackoffSeconds: 0,
    timeoutSeconds: 0,
    ...fields,
  }
}

export const testEvaluation: PlanInput<TestStep>['evaluation'] = {
  when: ({ when }, { steps }) =>
    typeof when === 'object' ? steps[when.step]?.outcome === when.is : when !== false,
  items: ({ items = [] }, { steps }) => {
    if (!('from' in items)) return items
    const count = steps[items.from]?.outputs.n
    return Array.from({ length: typeof count === 'number' ? count : 0 }, (_, index) => index)
  },
  inputs: (one, scope, item) => inputsOf(one, scope, item),
  digest: (value) => JSON.stringify(value),
  fits: (outputs) => JSON.stringify(outputs).length < 16_384,
}

function inputsOf(
  { problem, prompt, dependsOn, finally: isLast }: TestStep,
  { steps, outcome }: PlanScope,
  item: unknown,
): Outputs | PlanProblem {
  if (problem !== undefined) return { reason: 'TemplateInvalid', problem }
  const upstream = Object.fromEntries(dependsOn.map((name) => [name, steps[name]?.outputs ?? {}]))
  return { prompt, upstream, ...(isLast && { outcome }), ...(item !== undefined && { item }) }
}

export function testChildName(name: string, item: number | undefined, attempt: number): string {
  return item === undefined ? `${name}-${attempt}` : `${name}-${item}-${attempt}`
}

/** The steps of a finished run, to be taken over. */
export function planned(steps: readonly StepState[], ...again: string[]): Reuse {
  return {
    again: new Set(again),
    steps: new Map(
      steps
        .filter(({ phase }) => phase === 'Succeeded')
        .map(({ name, inputDigest = '', outputs = {} }) => [name, { inputDigest, outputs }]),
    ),
  }
}

interface Pass {
  readonly plan: Plan<TestStep>
  readonly created: readonly string[]
  readonly states: Readonly<Record<string, StepState>>
  readonly outcome: PlanOutcome | undefined
}

/** A run whose children do what the test says. */
export class TestRun {
  now = Date.parse('2026-01-01T00:00:00Z')
  steps: readonly StepState[] = []
  readonly children = new Map<string, ObservedChild>()
  isCancelled = false
  deadline: number | undefined
  reuse: Reuse | undefined
  delivered: Outputs | undefined
  seen: readonly string[] = []
  readonly #graph: PlanInput<TestStep>['graph']

  constructor(
    steps: readonly TestStep[],
    policies: Partial<PlanInput<TestStep>['graph']['policies']> = {},
  ) {
    this.#graph = { steps, policies: { failFast: true, parallelism: 0, ...policies } }
  }

  /** Plans, and carries the plan out. After a crash nothing is recorded. */
  pass({ crash = false } = {}): Pass {
    const made = plan<TestStep>({
      graph: this.#graph,
      steps: this.steps,
      children: this.children,
      waits: { seen: () => this.seen, arrived: () => this.delivered },
      evaluation: testEvaluation,
      childName: testChildName,
      run: { isCancelled: this.isCancelled, deadline: this.deadline },
      reuse: this.reuse,
      now: this.now,
    })
    for (const {
      name,
      step: { name: of },
    } of made.create)
      this.add(name, of)
    for (const name of made.cancel) this.#change(name, { isCancelling: true })
    if (!crash) this.steps = made.steps
    return {
      plan: made,
      created: made.create.map(({ name }) => name),
      states: Object.fromEntries(made.steps.map((state) => [state.name, state])),
      outcome: made.outcome,
    }
  }

  /** `kind`: of the steps that create such objects, the kind of the step if omitted. */
  add(name: string, of: string, kind = this.#kindOf(of)): void {
    const stepKinds = [kind]
    this.children.set(name, { step: of, stepKinds, createdAt: this.now, isCancelling: false })
  }

  end(name: string, end: ChildEnd = { kind: 'succeeded', outputs: { n: 1 } }): void {
    this.#change(name, { end })
  }

  refuse(name: string, message: string): void {
    this.add(name, name.slice(0, name.indexOf('-')))
    this.end(name, { kind: 'refused', reason: 'ChildRejected', message })
  }

  endAll(): void {
    for (const [name, { end }] of this.children) if (end === undefined) this.end(name)
  }

  unit(name: string): UnitState | undefined {
    return this.steps.find((state) => state.name === name)?.units[0]
  }

  #kindOf(name: string): string {
    return this.#graph.steps.find((one) => one.name === name)?.kind ?? ''
  }

  #change(name: string, change: Partial<ObservedChild>): void {
    const child = this.children.get(name)
    if (child === undefined) throw new Error(`there is no child ${name}`)
    this.children.set(name, { ...child, ...change })
  }
}
