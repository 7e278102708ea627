import {
  Controller,
  fromInformer,
  type ReconcileContext,
  type ReconcileResult,
  sleep,
} from '@agents/controller'
import {
  formatKey,
  type InformerLease,
  isConflict,
  isNotFound,
  type Pod,
  PodKind,
  resourcePath,
} from '@agents/kube'
import { removeOrphans } from '../container/engine/orphaned-containers.ts'
import { killMarked } from '../container/process-identity.ts'
import type { RunningContainer } from '../container/running-container.ts'
import { type PodDependencies, PodRun } from '../pod/pod-run.ts'
import { PodSlots } from './pod-slots.ts'

interface PodsControllerOptions {
  readonly dependencies: PodDependencies
  readonly pods: InformerLease<Pod>
  /** Whether to bind pods without a node. */
  readonly bindPods: boolean
  readonly maxPods: number
  readonly workers: number
}

/** The pods of this node. Each is synced when it changes here or on the server. */
export class NodePods {
  readonly controller: Controller<Pod>
  readonly #options: PodsControllerOptions
  readonly #slots: PodSlots
  readonly #runs = new Map<string, PodRun>()
  readonly #uids = new Map<string, string>()
  readonly #leaving = new Set<Promise<void>>()
  readonly #stopped = new AbortController()

  constructor(options: PodsControllerOptions) {
    this.#options = options
    this.#slots = new PodSlots(options.maxPods)
    this.controller = new Controller<Pod>({
      name: 'local-node',
      kind: PodKind,
      primary: fromInformer(options.pods),
      reconcile: (pod, context) => this.#reconcile(pod, context),
      gone: (key) => this.#gone(key),
      log: options.dependencies.log,
      workers: options.workers,
      clock: options.dependencies.attempts.clock,
    })
  }

  /** To be called once the informer has synced: removes the remains of deleted pods, and counts the used slots. */
  async settle(): Promise<void> {
    const { dependencies, pods } = this.#options
    const known = new Set<string>()
    for (const pod of pods.informer.store.list()) {
      const { uid = '' } = pod.metadata
      known.add(uid)
      if (pod.spec.nodeName === dependencies.node.nodeName && !isTerminal(pod)) {
        this.#slots.occupy(uid, formatKey(pod.metadata))
      }
    }
    await this.#removeOrphans((uid) => known.has(uid))
    const left = (await dependencies.state.podUids()).filter((uid) => !known.has(uid))
    if (left.length === 0) return
    const isLeft = new Set(left.map((uid) => `${dependencies.nodeMarker}/${uid}`))
    await killMarked((marker) => isLeft.has(marker.split('/').slice(0, 2).join('/')))
    for (const uid of left) await this.#removeFolder(uid)
  }

  /** The running containers of a pod, by name. */
  running(uid: string): ReadonlyMap<string, RunningContainer> {
    return this.#runs.get(uid)?.running() ?? new Map()
  }

  /** The node for a pod of this key, with a reserved slot; undefined if it has to wait. */
  reserve(key: string): string | undefined {
    if (!this.#options.bindPods || !this.#slots.reserve(key)) return undefined
    return this.#options.dependencies.node.nodeName
  }

  /** To be called if the pod was not created. */
  unreserve(key: string): void {
    const next = this.#slots.unreserve(key)
    if (next !== undefined) this.controller.queue.add(next)
  }

  /** Kills processes that left their container's group and outlived it, until the signal. */
  async sweep(everyMs: number, signal: AbortSignal): Promise<void> {
    const { dependencies, pods } = this.#options
    while (!signal.aborted) {
      await sleep(dependencies.attempts.clock, everyMs, signal)
      if (signal.aborted) return
      const all = pods.informer.store.list().filter((pod) => !isTerminal(pod))
      const alive = new Set(all.map(({ metadata }) => metadata.uid))
      await killMarked((marker) => {
        const [node, uid = '', container = '', number] = marker.split('/')
        if (node !== dependencies.nodeMarker) return false
        const run = this.#runs.get(uid)
        // A pod that has not been synced yet may still be running.
        return run ? !run.isRunningAttempt(container, Number(number)) : !alive.has(uid)
      })
      await this.#removeOrphans((uid) => this.#runs.has(uid) || alive.has(uid))
    }
  }

  async #removeOrphans(isKnown: (uid: string) => boolean): Promise<void> {
    const { engine, state, log } = this.#options.dependencies
    if (engine === undefined) return
    await removeOrphans(engine.engine, state, isKnown).catch((error: unknown) =>
      log.warn('orphaned containers could not be removed', { error }),
    )
  }

  /** Stops supervising; all pods keep running. */
  async leave(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#leaving)
    await Promise.all([...this.#runs.values()].map((run) => run.leave()))
    this.#runs.clear()
  }

  async #reconcile(seen: Pod, context: ReconcileContext<Pod>): Promise<ReconcileResult> {
    const { node } = this.#options.dependencies
    const { uid = '', deletionTimestamp } = seen.metadata
    const nodeName = seen.spec.nodeName ?? ''
    if (nodeName !== '' && nodeName !== node.nodeName) return {}
    const key = formatKey(seen.metadata)
    if (isTerminal(seen)) {
      this.#forget(key, uid)
      return {}
    }
    if (nodeName === '' && (deletionTimestamp !== undefined || !this.#options.bindPods)) return {}
    if (nodeName !== '') this.#slots.occupy(uid, key)
    const pod = nodeName === '' ? await this.#assign(seen, key, context.signal) : seen
    if (pod === undefined) return {}
    this.#uids.set(key, uid)
    const { isDone, recheckAfterMs } = await this.#run(key, uid).sync(pod, context.signal)
    if (isDone) this.#freeSlot(uid)
    return { recheckAfterMs }
  }

  #run(key: string, uid: string): PodRun {
    const known = this.#runs.get(uid)
    if (known !== undefined) return known
    const run = new PodRun(uid, this.#options.dependencies, () => this.controller.queue.add(key))
    this.#runs.set(uid, run)
    return run
  }

  /** The pod, bound to this node; undefined while there is no free slot. */
  async #assign(pod: Pod, key: string, signal: AbortSignal): Promise<Pod | undefined> {
    const { metadata, spec } = pod
    if (!this.#slots.take(metadata.uid ?? '', key, metadata.creationTimestamp ?? '')) {
      return undefined
    }
    const { client, node } = this.#options.dependencies
    const { name, namespace, uid } = metadata
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node.nodeName },
    }
    const path = resourcePath(PodKind, { namespace, name, subresource: 'binding' })
    try {
      await client.request({ method: 'POST', path, body, signal })
    } catch (error) {
      // The pod has a node already, or was deleted; an event will report it.
      if (isConflict(error) || isNotFound(error)) {
        this.#freeSlot(uid ?? '')
        return undefined
      }
      throw error
    }
    return { ...pod, spec: { ...spec, nodeName: node.nodeName } }
  }

  /** Nothing runs any more; only the logs remain. */
  #forget(key: string, uid: string): void {
    this.#uids.set(key, uid)
    this.#runs.delete(uid)
    this.#freeSlot(uid)
  }

  #freeSlot(uid: string): void {
    const next = this.#slots.free(uid)
    if (next !== undefined) this.controller.queue.add(next)
  }

  #gone(key: string): void {
    this.#slots.forget(key)
    const uid = this.#uids.get(key)
    if (uid === undefined) return
    this.#uids.delete(key)
    const run = this.#runs.get(uid)
    this.#runs.delete(uid)
    const leaving = this.#remove(uid, run).then(() => {
      this.#leaving.delete(leaving)
    })
    this.#leaving.add(leaving)
  }

  async #remove(uid: string, run: PodRun | undefined): Promise<void> {
    const { log, attempts } = this.#options.dependencies
    try {
      await run?.abandon()
      this.#freeSlot(uid)
      await sleep(attempts.clock, finalStatusMs, this.#stopped.signal)
    } catch (error) {
      log.warn('deleted pod could not be stopped', { uid, error })
      return
    }
    await this.#removeFolder(uid)
  }

  /** Files that cannot be removed, such as those of other users, do not block the node. */
  async #removeFolder(uid: string): Promise<void> {
    const { state, log } = this.#options.dependencies
    await state
      .remove(uid)
      .catch((error: unknown) =>
        log.warn('files of a deleted pod could not be removed', { uid, error }),
      )
  }
}

/** Gives followers of the log of a deleted pod time to read its end. */
const finalStatusMs = 1000

function isTerminal({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}
