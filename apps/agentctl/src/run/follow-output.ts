import { setTimeout as delay } from 'node:timers/promises'
import {
  createInformer,
  isBadRequest,
  isNotFound,
  isUnreachable,
  type KubeClient,
  type ObjectKey,
  type Pod,
  PodKind,
} from '@agents/kube'
import { attemptTitle, belongsTo, byAge, hasOutput, runSelector } from './run-pods.ts'

export interface OutputSink {
  /** Before the output of an attempt, where there is more than one. */
  begin(title: string): void
  write(bytes: Uint8Array): Promise<void>
  /** After the output of an attempt. */
  end?(): Promise<void>
}

export interface OutputOptions {
  readonly tailLines?: number | undefined
  readonly timestamps?: boolean | undefined
  readonly container?: string | undefined
}

/** Passes on what a run's pods say, one after the other, over all attempts and steps. */
export interface FollowedOutput {
  /** To be called when the run is over: resolves when all that was said has been passed on, to how many pods said it. */
  finish(): Promise<number>
  stop(): Promise<void>
}

export function followOutput(
  client: KubeClient,
  run: ObjectKey,
  sink: OutputSink,
  options: OutputOptions = {},
): FollowedOutput {
  const control = new AbortController()
  const { signal } = control
  const informer = createInformer({
    client,
    kind: PodKind,
    namespace: run.namespace,
    labelSelector: runSelector(run.name),
  })
  const begun = new Set<string>()
  let queue = Promise.resolve()
  let shown = 0
  const failure: { error?: unknown } = {}
  const take = (pod: Pod): void => {
    const { uid = pod.metadata.name } = pod.metadata
    if (begun.has(uid) || !belongsTo(pod, run.name) || !hasOutput(pod)) return
    begun.add(uid)
    // Kept until somebody asks for the end: one pod whose output cannot be had must not end the program.
    queue = queue
      .then(() => passOn(client, pod, sink, { ...options, signal }))
      .then((isShown) => {
        if (isShown) shown += 1
      })
      .catch((error: unknown) => {
        failure.error ??= error
      })
  }
  informer.addHandler({ onAdd: take, onUpdate: (_, pod) => take(pod) })
  informer.start()
  return {
    finish: async () => {
      // The last pod may have come and gone between two looks.
      const { items } = await client.list(PodKind, {
        namespace: run.namespace,
        labelSelector: runSelector(run.name),
      })
      for (const pod of items.toSorted(byAge)) take(pod)
      await queue
      await informer.stop()
      if (failure.error !== undefined) throw failure.error
      return shown
    },
    stop: async () => {
      control.abort()
      await informer.stop()
      await queue
    },
  }
}

export interface ShownOutput {
  /** Pods of the run that are there. */
  readonly pods: number
  /** Those of them that have begun to say something. */
  readonly shown: number
}

/** What the pods of a run have said so far. */
export async function showOutput(
  client: KubeClient,
  run: ObjectKey,
  sink: OutputSink,
  options: OutputOptions & { readonly signal: AbortSignal },
): Promise<ShownOutput> {
  const { items } = await client.list(PodKind, {
    namespace: run.namespace,
    labelSelector: runSelector(run.name),
  })
  const own = items.filter((pod) => belongsTo(pod, run.name))
  const pods = own.filter(hasOutput).toSorted(byAge)
  for (const pod of pods) {
    const title = attemptTitle(pod)
    if (title !== '') sink.begin(title)
    const stream = await client.podLog(pod.metadata, { ...query(pod, options), follow: false })
    for await (const bytes of stream) await sink.write(bytes)
    await sink.end?.()
  }
  return { pods: own.length, shown: pods.length }
}

const pauseMs = 500
const mostTries = 20

/**
 * Follows one pod to its end. After a break it asks again for everything and leaves out what was passed on. False: it was gone
 * before it could be asked.
 */
async function passOn(
  client: KubeClient,
  pod: Pod,
  sink: OutputSink,
  options: OutputOptions & { readonly signal: AbortSignal },
): Promise<boolean> {
  const title = attemptTitle(pod)
  if (title !== '') sink.begin(title)
  let passed = 0
  for (let tries = 0; tries < mostTries && !options.signal.aborted; tries++) {
    try {
      let seen = 0
      const stream = await client.podLog(pod.metadata, { ...query(pod, options), follow: true })
      for await (const bytes of stream) {
        const fresh = bytes.subarray(Math.max(0, Math.min(bytes.length, passed - seen)))
        seen += bytes.length
        if (fresh.length > 0) await sink.write(fresh)
        passed = Math.max(passed, seen)
      }
      await sink.end?.()
      return true
    } catch (error) {
      if (options.signal.aborted || isNotFound(error)) return passed > 0
      if (!isUnreachable(error) && !isBadRequest(error)) throw error
      await delay(pauseMs, undefined, { signal: options.signal }).catch(() => undefined)
    }
  }
  return passed > 0
}

function query(pod: Pod, options: OutputOptions & { readonly signal: AbortSignal }) {
  const { tailLines, timestamps, signal } = options
  const container = options.container ?? pod.spec.containers[0]?.name
  return { container, tailLines, timestamps, signal }
}
