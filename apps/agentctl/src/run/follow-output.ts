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
import { agentRuns, type ShownKind } from './run-kind.ts'
import { attemptTitle, belongsTo, byAge, hasOutput, runSelector } from './run-pods.ts'

interface OutputSink {
  /** Before the output of a pod. */
  open?(pod: Pod): void
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
  /** The kind of the run. If omitted, AgentRun. */
  readonly of?: ShownKind | undefined
}

/** Forwards the output of a run's pods, one after the other, for all attempts and steps. */
interface FollowedOutput {
  /**
   * To be called when the run has ended. Resolves to the number of pods with output, after all of it has been
   * forwarded.
   */
  finish(): Promise<number>
  stop(): Promise<void>
}

export function followOutput(
  client: KubeClient,
  run: ObjectKey,
  sink: OutputSink,
  options: OutputOptions = {},
): FollowedOutput {
  const { of = agentRuns } = options
  const control = new AbortController()
  const { signal } = control
  const informer = createInformer({
    client,
    kind: PodKind,
    namespace: run.namespace,
    labelSelector: runSelector(run.name, of),
  })
  const begun = new Set<string>()
  let queue = Promise.resolve()
  let printed = 0
  const failure: { error?: unknown } = {}
  const take = (pod: Pod): void => {
    const { uid = pod.metadata.name } = pod.metadata
    if (begun.has(uid) || !belongsTo(pod, run.name, of) || !hasOutput(pod)) return
    begun.add(uid)
    // The error is kept until finish: one pod without readable output must not end the program.
    queue = queue
      .then(() => passOn(client, pod, sink, { ...options, signal }))
      .then((isPrinted) => {
        if (isPrinted) printed += 1
      })
      .catch((error: unknown) => {
        failure.error ??= error
      })
  }
  informer.addHandler({ onAdd: take, onUpdate: (_, pod) => take(pod) })
  informer.start()
  return {
    finish: async () => {
      // The informer may have missed the last pod.
      const { items } = await client.list(PodKind, {
        namespace: run.namespace,
        labelSelector: runSelector(run.name, of),
      })
      for (const pod of items.toSorted(byAge)) take(pod)
      await queue
      await informer.stop()
      if (failure.error !== undefined) throw failure.error
      return printed
    },
    stop: async () => {
      control.abort()
      await informer.stop()
      await queue
    },
  }
}

/** The output of a pod that no longer exists. */
export interface KeptOutput {
  readonly pod: string
  read(tailLines: number | undefined): Promise<AsyncIterable<Uint8Array>>
}

export interface PrintedOutput {
  /** Pods of the run that exist, and those whose output is kept. */
  readonly pods: number
  /** Pods whose containers have started. */
  readonly printed: number
}

/** Writes the output of the pods of a run so far. Pods that no longer exist are older than those that do. */
export async function showOutput(
  client: KubeClient,
  run: ObjectKey,
  sink: OutputSink,
  options: OutputOptions & {
    readonly signal: AbortSignal
    /** Output of pods that may no longer exist. If omitted, none. */
    readonly kept?: () => Promise<readonly KeptOutput[]>
  },
): Promise<PrintedOutput> {
  const { of = agentRuns } = options
  const { items } = await client.list(PodKind, {
    namespace: run.namespace,
    labelSelector: runSelector(run.name, of),
  })
  const own = items.filter((pod) => belongsTo(pod, run.name, of))
  const pods = own.filter(hasOutput).toSorted(byAge)
  const existing = new Set(own.map(({ metadata }) => metadata.name))
  const gone = ((await options.kept?.()) ?? []).filter(({ pod }) => !existing.has(pod))
  for (const { pod, read } of gone) {
    if (gone.length + pods.length > 1) sink.begin(`pod ${pod}`)
    for await (const bytes of await read(options.tailLines)) await sink.write(bytes)
    await sink.end?.()
  }
  for (const pod of pods) {
    const title = attemptTitle(pod)
    sink.open?.(pod)
    if (title !== '') sink.begin(title)
    const stream = await client.podLog(pod.metadata, { ...query(pod, options), follow: false })
    for await (const bytes of stream) await sink.write(bytes)
    await sink.end?.()
  }
  return { pods: own.length + gone.length, printed: pods.length + gone.length }
}

const pauseMs = 500
const mostTries = 20

/**
 * Follows the output of one pod until it ends. After a lost connection it reads from the start and skips what was
 * forwarded. Returns false if the pod was deleted before its output could be read.
 */
async function passOn(
  client: KubeClient,
  pod: Pod,
  sink: OutputSink,
  options: OutputOptions & { readonly signal: AbortSignal },
): Promise<boolean> {
  const title = attemptTitle(pod)
  sink.open?.(pod)
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
