import type { GateContext, ResourceCache } from '@agents/controller'
import type { OrchestrationRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { stoppingBudget } from '../../kubernetes/budget-stop.ts'
import { isTrue } from '../../kubernetes/condition-of.ts'
import { digestOf } from '../../kubernetes/digest.ts'
import type { Graph, GraphStep } from '../definition/graph.ts'
import { runParameters } from '../definition/parameters.ts'
import { plan } from '../plan/plan.ts'
import type { ObservedChild, Plan, Reuse, StepState } from '../plan/plan-states.ts'
import { childNameOf } from './child-name.ts'
import type { ConfirmedVersions } from './confirmed-versions.ts'
import type { RunChildren } from './run-children.ts'
import type { SignalWaits } from './signal-waits.ts'
import { scopeFor, stepEvaluation } from './step-evaluation.ts'
import { readStepStatuses, type StepStatus, writeStepStatuses } from './step-statuses.ts'

export interface AdvancePorts {
  readonly runs: ResourceCache<OrchestrationRun>
  readonly versions: ConfirmedVersions
  readonly children: RunChildren
  readonly waits: SignalWaits
}

/** What a reconcile did, and what it found. */
export interface Advanced {
  readonly graph: Graph
  readonly plan: Plan<GraphStep>
  readonly stepStatuses: readonly StepStatus[]
  readonly scopeOf: (outcome: 'Succeeded' | 'Failed' | 'Cancelled') => ReturnType<typeof scopeFor>
  /** The Budget because of which the run is cancelled. */
  readonly stoppedBy: string | undefined
  /** The run has changed on the server: nothing was done. */
  readonly isStale: boolean
}

/** Observes the children of a run, plans, and creates or stops children. */
export async function advanceRun(
  run: OrchestrationRun,
  graph: Graph,
  ports: AdvancePorts,
  { now, signal }: GateContext,
): Promise<Advanced> {
  const { children, waits } = ports
  const given = runParameters(graph, run.spec.parameters ?? {})
  const parameters = given.ok ? given.parameters : {}
  const states = readStepStatuses(run.status?.stepStatuses, graph.steps)
  const refused = new Map<string, ObservedChild>()
  waits.watch(run, graph)
  const planWith = (seen: ReadonlyMap<string, ObservedChild>): Plan<GraphStep> =>
    plan<GraphStep>({
      graph,
      steps: states,
      children: new Map([...seen, ...refused]),
      waits: waits.of(run, graph, parameters, { states, now }),
      evaluation: stepEvaluation(run, graph, parameters),
      childName: (step, item, attempt) => childNameOf(run, step, item, attempt),
      run: { isCancelled: run.spec.cancel === true, deadline: deadlineOf(run, graph, now) },
      reuse: reuseOf(run, ports.runs),
      now: now.getTime(),
    })
  const recorded = states.flatMap(({ units }) => units.flatMap(({ child }) => child?.name ?? []))
  let seen = children.cached(run, recorded)
  let made = planWith(seen)
  if (made.reliesOnAbsence) {
    seen = await children.live(run, signal)
    made = planWith(seen)
  }
  const isStale = made.create.length > 0 && !(await ports.versions.isCurrent(run, signal))
  if (!isStale) {
    // A refused child ends its step, which can end or begin others.
    while (await createAll(run, made, refused, ports, { now, signal })) made = planWith(seen)
    await cancelAll(run, made, new Map([...seen, ...refused]), graph, ports, signal)
  }
  return {
    graph,
    plan: made,
    stoppedBy: stoppingBudget(run),
    isStale,
    stepStatuses: writeStepStatuses(made.steps, {
      steps: graph.steps,
      before: run.status?.stepStatuses,
      now,
      refOf: (step) => children.refOf(step),
    }),
    scopeOf: (outcome) => scopeFor(run, parameters, { steps: resultsOf(made.steps), outcome }),
  }
}

function resultsOf(states: readonly StepState[]) {
  return Object.fromEntries(
    states.map(({ name, outputs = {}, phase }) => [name, { outputs, outcome: phase }]),
  )
}

function deadlineOf(run: OrchestrationRun, graph: Graph, now: Date): number | undefined {
  const seconds = Number(run.spec.timeoutSeconds ?? graph.policies.timeoutSeconds)
  if (seconds === 0) return undefined
  const { startedAt } = run.status ?? {}
  return (startedAt === undefined ? now.getTime() : Date.parse(startedAt)) + seconds * 1000
}

/**
 * The steps of the run that this one goes on from. A graph of its own may contain a gate, and what follows here may use
 * parameters that were not approved, so it is taken over for the same parameters only.
 */
function reuseOf(
  { metadata, spec }: OrchestrationRun,
  runs: ResourceCache<OrchestrationRun>,
): Reuse | undefined {
  const { resumeFrom } = spec
  if (resumeFrom === undefined) return undefined
  const { namespace } = metadata
  const earlier = runs.get(formatKey({ namespace, name: resumeFrom.name }))
  if (earlier === undefined || !isTrue(earlier, 'Finished')) return undefined
  const isSame = digestOf(earlier.spec.parameters ?? {}) === digestOf(spec.parameters ?? {})
  const succeeded = (earlier.status?.stepStatuses ?? []).filter(
    ({ phase, kind }) => phase === 'Succeeded' && (isSame || kind !== 'SubOrchestration'),
  )
  return {
    again: new Set(resumeFrom.steps),
    steps: new Map(
      succeeded.map(({ name, inputDigest = '', outputs = {} }) => [name, { inputDigest, outputs }]),
    ),
  }
}

const parallelRequests = 16

/** Creates what is planned. Whether something was refused, so that the plan is void. */
async function createAll(
  run: OrchestrationRun,
  { create }: Plan<GraphStep>,
  refused: Map<string, ObservedChild>,
  { children }: AdvancePorts,
  { now, signal }: Pick<GateContext, 'now' | 'signal'>,
): Promise<boolean> {
  const before = refused.size
  const remaining = create.toReversed()
  const work = async (): Promise<void> => {
    for (let child = remaining.pop(); child !== undefined; child = remaining.pop()) {
      const end = await children.create(run, child, signal)
      if (end === undefined) continue
      const { name, step } = child
      const createdAt = now.getTime()
      const stepKinds = [step.kind]
      refused.set(name, { step: step.name, stepKinds, createdAt, isCancelling: false, end })
    }
  }
  await Promise.all(Array.from({ length: parallelRequests }, work))
  return refused.size > before
}

async function cancelAll(
  run: OrchestrationRun,
  { cancel }: Plan<GraphStep>,
  seen: ReadonlyMap<string, ObservedChild>,
  { steps }: Graph,
  { children }: AdvancePorts,
  signal: AbortSignal,
): Promise<void> {
  const kinds = new Map(steps.map(({ name, kind }) => [name, kind]))
  const remaining = [...cancel]
  const work = async (): Promise<void> => {
    for (let name = remaining.pop(); name !== undefined; name = remaining.pop()) {
      await children.cancel(run, name, kinds.get(seen.get(name)?.step ?? '') ?? '', signal)
    }
  }
  await Promise.all(Array.from({ length: parallelRequests }, work))
}
