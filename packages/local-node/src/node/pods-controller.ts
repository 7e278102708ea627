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
import { removeStrays } from '../container/engine-strays.ts'
import { killMarked } from '../container/process-identity.ts'
import { PodRun, type PodSurroundings } from '../pod/pod-run.ts'
import { PodSlots } from './pod-slots.ts'

export interface PodsControllerOptions {
  readonly around: PodSurroundings
  readonly pods: InformerLease<Pod>
  /** Takes pods that nobody has given a node. */
  readonly bindPods: boolean
  readonly maxPods: number
  readonly workers: number
}

/** The pods of this node, each looked at whenever it changes here or on the server. */
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
      log: options.around.log,
      workers: options.workers,
      clock: options.around.attempts.clock,
    })
  }

  /** To be called once the informer has synced: what is left of pods that are gone has to go, and places are counted. */
  async settle(): Promise<void> {
    const { around, pods } = this.#options
    const known = new Set<string>()
    for (const pod of pods.informer.store.list()) {
      const { uid = '' } = pod.metadata
      known.add(uid)
      if (pod.spec.nodeName === around.node.nodeName && !isTerminal(pod)) {
        this.#slots.occupy(uid, formatKey(pod.metadata))
      }
    }
    await this.#removeStrays((uid) => known.has(uid))
    const left = (await around.state.podUids()).filter((uid) => !known.has(uid))
    if (left.length === 0) return
    const isLeft = new Set(left.map((uid) => `${around.nodeMarker}/${uid}`))
    await killMarked((marker) => isLeft.has(marker.split('/').slice(0, 2).join('/')))
    for (const uid of left) await this.#removeFolder(uid)
  }

  /** The node that a pod of this key may be created on, with a place kept for it; undefined: it has to wait for one. */
  reserve(key: string): string | undefined {
    if (!this.#options.bindPods || !this.#slots.reserve(key)) return undefined
    return this.#options.around.node.nodeName
  }

  /** The pod was not created after all. */
  unreserve(key: string): void {
    const next = this.#slots.unreserve(key)
    if (next !== undefined) this.controller.queue.add(next)
  }

  /** Ends processes that left their container's group and outlived it, until the signal. */
  async sweep(everyMs: number, signal: AbortSignal): Promise<void> {
    const { around, pods } = this.#options
    while (!signal.aborted) {
      await sleep(around.attempts.clock, everyMs, signal)
      if (signal.aborted) return
      const all = pods.informer.store.list().filter((pod) => !isTerminal(pod))
      const alive = new Set(all.map(({ metadata }) => metadata.uid))
      await killMarked((marker) => {
        const [node, uid = '', container = '', number] = marker.split('/')
        if (node !== around.nodeMarker) return false
        const run = this.#runs.get(uid)
        // What runs in a pod that was not looked at yet is not known to be over.
        return run ? !run.isRunningAttempt(container, Number(number)) : !alive.has(uid)
      })
      await this.#removeStrays((uid) => this.#runs.has(uid) || alive.has(uid))
    }
  }

  async #removeStrays(isKnown: (uid: string) => boolean): Promise<void> {
    const { engine, state, log } = this.#options.around
    if (engine === undefined) return
    await removeStrays(engine.engine, state, isKnown).catch((error: unknown) =>
      log.warn('the container engine may hold containers of pods that are gone', { error }),
    )
  }

  /** Lets all pods run on. */
  async leave(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#leaving)
    await Promise.all([...this.#runs.values()].map((run) => run.leave()))
    this.#runs.clear()
  }

  async #reconcile(seen: Pod, context: ReconcileContext<Pod>): Promise<ReconcileResult> {
    const { node } = this.#options.around
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
    const pod = nodeName === '' ? await this.#place(seen, key, context.signal) : seen
    if (pod === undefined) return {}
    this.#uids.set(key, uid)
    const { isDone, recheckAfterMs } = await this.#run(key, uid).sync(pod, context.signal)
    if (isDone) this.#freeSlot(uid)
    return { recheckAfterMs }
  }

  #run(key: string, uid: string): PodRun {
    const known = this.#runs.get(uid)
    if (known !== undefined) return known
    const run = new PodRun(uid, this.#options.around, () => this.controller.queue.add(key))
    this.#runs.set(uid, run)
    return run
  }

  /** The pod as it is on this node; undefined while there is no place for it. */
  async #place(pod: Pod, key: string, signal: AbortSignal): Promise<Pod | undefined> {
    const { metadata, spec } = pod
    if (!this.#slots.take(metadata.uid ?? '', key, metadata.creationTimestamp ?? '')) {
      return undefined
    }
    const { client, node } = this.#options.around
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
      // It is on some node already, or gone; the event that tells is on its way.
      if (isConflict(error) || isNotFound(error)) {
        this.#freeSlot(uid ?? '')
        return undefined
      }
      throw error
    }
    return { ...pod, spec: { ...spec, nodeName: node.nodeName } }
  }

  /** Nothing runs any more; what is left are its logs. */
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
    const { log, attempts } = this.#options.around
    try {
      await run?.abandon()
      this.#freeSlot(uid)
      await sleep(attempts.clock, lastWordsMs, this.#stopped.signal)
    } catch (error) {
      log.warn('a pod that is gone may still run', { uid, error })
      return
    }
    await this.#removeFolder(uid)
  }

  /** What cannot be taken away, such as files of other users, keeps nobody from anything. */
  async #removeFolder(uid: string): Promise<void> {
    const { state, log } = this.#options.around
    await state
      .remove(uid)
      .catch((error: unknown) => log.warn('the rest of a pod is left behind', { uid, error }))
  }
}

/** Who follows the log of a pod that is deleted still reads its end. */
const lastWordsMs = 1000

function isTerminal({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}
