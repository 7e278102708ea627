import { Children, type ObjectApi, objectApi, type Source } from '@agents/controller'
import { type OrchestrationRun, orchestrationRun, requestedByAnnotation } from '@agents/jangar-api'
import {
  controllerOfKind,
  formatApiVersion,
  isControlledBy,
  isNotFound,
  type KubeClient,
  KubeError,
  type KubeObject,
  type New,
  OwnershipError,
} from '@agents/kube'
import { cancelPatch, stoppingBudget } from '../../kubernetes/budget-stop.ts'
import { isTrue } from '../../kubernetes/condition-of.ts'
import { annotations, labelValue } from '../../kubernetes/labels.ts'
import type { GraphStep, RawStep } from '../definition/graph.ts'
import type { ChildEnd, ChildToCreate, ObservedChild } from '../plan/plan-states.ts'
import { type ChildKind, type ChildKinds, endOfChild } from './child-kinds.ts'
import { endedChildren } from './ended-children.ts'

const runLabel = 'jangar.proompteng.ai/orchestration-run'
const stepLabel = 'jangar.proompteng.ai/orchestration-step'
const ownerIndex = 'orchestrationRunOfChild'
const runningIndex = 'orchestrationRunOfRunningChild'

/** The W3C traceparent of a step, whose objects belong to its trace. */
export type StepTraceparent = (run: OrchestrationRun, step: string) => string

type Seen = ReadonlyMap<string, ObservedChild>

/** The objects of a kind of steps. */
interface StepObjects extends ChildKind {
  readonly step: string
  /** All kinds of steps that create such objects. */
  readonly stepKinds: readonly string[]
  readonly api: ObjectApi
  readonly children: Children<KubeObject>
}

/** The objects that OrchestrationRuns create. */
export class RunChildren {
  readonly #client: KubeClient
  readonly #traceparent: StepTraceparent | undefined
  readonly #kinds: readonly StepObjects[]
  /** One for each kind of objects: ToolRuns are those of two kinds of steps. */
  readonly #objects: readonly StepObjects[]

  constructor(client: KubeClient, kinds: ChildKinds, traceparent?: StepTraceparent) {
    this.#client = client
    this.#traceparent = traceparent
    const stores = new Map(
      [...new Set(Object.values(kinds).map(({ cache }) => cache))].map((cache) => {
        cache.addIndexers({
          [ownerIndex]: ownersOf,
          [runningIndex]: (child) => (isTrue(child, 'Finished') ? [] : ownersOf(child)),
        })
        const api = objectApi(client, cache.kind)
        const stepKinds = Object.keys(kinds).filter((step) => kinds[step]?.cache === cache)
        return [cache, { api, stepKinds, children: new Children(api, cache) }]
      }),
    )
    this.#kinds = Object.entries(kinds).map(([step, kind]) => {
      const store = stores.get(kind.cache)
      if (store === undefined) throw new TypeError(`steps of kind ${step} have no cache`)
      return { ...kind, step, ...store }
    })
    this.#objects = [...new Map(this.#kinds.map((kind) => [kind.cache, kind])).values()]
  }

  get sources(): Source[] {
    const running = (uid: string): number =>
      this.#objects.reduce((sum, { cache }) => sum + cache.byIndex(runningIndex, uid).length, 0)
    return this.#objects.map(({ cache }) => endedChildren(cache, running))
  }

  refOf({ kind }: Pick<GraphStep, 'kind'>) {
    const found = this.#kinds.find(({ step }) => step === kind)?.cache.kind
    return found && { apiVersion: formatApiVersion(found), kind: found.kind }
  }

  /** What the caches have, and what was written here and is not in the caches yet. */
  cached(run: OrchestrationRun, recorded: Iterable<string>): Seen {
    const { namespace, uid = '' } = run.metadata
    const seen = new Map<string, ObservedChild>()
    for (const kind of this.#objects) {
      for (const child of kind.cache.byIndex(ownerIndex, uid)) {
        if (isControlledBy(child, run)) seen.set(child.metadata.name, observed(kind, child))
      }
    }
    const unseen = [...recorded].filter((name) => !seen.has(name))
    for (const kind of this.#objects) {
      for (const name of unseen) {
        const child = kind.children.get({ namespace, name })
        if (child && isControlledBy(child, run)) seen.set(name, observed(kind, child))
      }
    }
    return seen
  }

  /** What the server has. */
  async live(run: OrchestrationRun, signal: AbortSignal): Promise<Seen> {
    const { namespace, name } = run.metadata
    const labelSelector = `${runLabel}=${labelValue(name)}`
    const seen = new Map<string, ObservedChild>()
    for (const kind of this.#objects) {
      const { items } = await this.#client.list(kind.cache.kind, {
        namespace,
        labelSelector,
        signal,
      })
      for (const child of items) {
        if (isControlledBy(child, run)) seen.set(child.metadata.name, observed(kind, child))
      }
    }
    return seen
  }

  /** Creates a child, or finds it. Returns why that is not possible if it never will be. */
  async create(
    run: OrchestrationRun,
    { name, step, inputs }: ChildToCreate<GraphStep>,
    signal: AbortSignal,
  ): Promise<ChildEnd | undefined> {
    const kind = this.#kinds.find((one) => one.step === step.kind)
    if (kind === undefined) throw new TypeError(`steps of kind ${step.kind} have no object`)
    const requestedBy = run.metadata.annotations?.[requestedByAnnotation]
    const traceparent = this.#traceparent?.(run, step.name)
    const annotated = {
      ...(requestedBy !== undefined && { [requestedByAnnotation]: requestedBy }),
      ...(traceparent !== undefined && { [annotations.traceparent]: traceparent }),
    }
    const child = {
      metadata: {
        name,
        ...(run.metadata.namespace !== undefined && { namespace: run.metadata.namespace }),
        labels: { [runLabel]: labelValue(run.metadata.name), [stepLabel]: step.name },
        ...(Object.keys(annotated).length > 0 && { annotations: annotated }),
      },
      spec: kind.specOf({ name: step.name, kind: step.kind, ...inputs } as RawStep, run),
    } as unknown as New<KubeObject> & { metadata: { name: string } }
    try {
      await kind.children.createOrObserve(child, run, signal)
      return undefined
    } catch (error) {
      return refusal(error)
    }
  }

  /** Tells the child of a step to stop. */
  async cancel(
    run: OrchestrationRun,
    name: string,
    stepKind: string,
    signal: AbortSignal,
  ): Promise<void> {
    const kind = this.#kinds.find(({ step }) => step === stepKind)
    try {
      const patch = cancelPatch(stoppingBudget(run))
      await kind?.api.patch({ ...run.metadata, name }, patch, signal)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/** The uid of the OrchestrationRun that controls the object, if one does. */
function ownersOf(child: KubeObject): string[] {
  const owner = controllerOfKind(child, orchestrationRun)
  return owner === undefined ? [] : [owner.uid]
}

/** Objects of the caches do not change, and most children of a long run have ended, so each is read once. */
const observedChildren = new WeakMap<KubeObject, ObservedChild>()

function observed(kind: StepObjects, child: KubeObject): ObservedChild {
  const known = observedChildren.get(child)
  if (known !== undefined) return known
  const seen = read(kind, child)
  observedChildren.set(child, seen)
  return seen
}

function read(kind: StepObjects, child: KubeObject): ObservedChild {
  const { metadata } = child
  const { cancel } = ((child as { spec?: unknown }).spec ?? {}) as { readonly cancel?: boolean }
  const isCancelling = cancel === true || metadata.deletionTimestamp !== undefined
  return {
    step: metadata.labels?.[stepLabel] ?? '',
    stepKinds: kind.stepKinds,
    uid: metadata.uid,
    createdAt: Date.parse(metadata.creationTimestamp ?? ''),
    isCancelling,
    end: endOfChild(kind, child),
  }
}

/** Undefined errors are thrown: they may pass. */
function refusal(error: unknown): ChildEnd {
  if (error instanceof OwnershipError) {
    return { kind: 'refused', reason: 'ChildConflict', message: error.message }
  }
  if (!(error instanceof KubeError)) throw error
  const { code } = error
  if (code < 400 || code >= 500 || code === 409 || code === 429) throw error
  const message = error.message.replace(/^POST \S+: /, '').slice(0, 1024)
  return { kind: 'refused', reason: 'ChildRejected', message }
}
