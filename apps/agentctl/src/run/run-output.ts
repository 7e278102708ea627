import { setTimeout as delay } from 'node:timers/promises'
import {
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

export interface OutputSink {
  /** Before the output of a pod; undefined if the pod no longer exists. */
  open?(pod: Pod | undefined): void
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

/** The output of a pod that no longer exists. */
export interface KeptOutput {
  readonly pod: string
  /** When it was uploaded, which is after the pod was created and before those of later attempts are. */
  readonly createdAt: string
  read(tailLines: number | undefined): Promise<AsyncIterable<Uint8Array>>
}

/** Reads which output is kept of pods that may no longer exist. */
export type ReadKept = () => Promise<readonly KeptOutput[]>

export interface PrintedOutput {
  /** Pods of the run that exist, and those whose output is kept. */
  readonly pods: number
  /** Pods whose containers have started. */
  readonly printed: number
}

/** Writes the output of the pods of a run so far, in the order of their age. */
export async function showOutput(
  client: KubeClient,
  run: ObjectKey,
  sink: OutputSink,
  options: OutputOptions & {
    readonly signal: AbortSignal
    /** Output of pods that may no longer exist. If omitted, none. */
    readonly kept?: ReadKept
  },
): Promise<PrintedOutput> {
  const { of = agentRuns } = options
  const { items } = await client.list(PodKind, {
    namespace: run.namespace,
    labelSelector: runSelector(run.name, of),
  })
  const own = items.filter((pod) => belongsTo(pod, run.name, of))
  const existing = new Set(own.map(({ metadata }) => metadata.name))
  const gone = ((await options.kept?.()) ?? []).filter(({ pod }) => !existing.has(pod))
  const all = inOrder(own.filter(hasOutput), gone)
  for (const { pod, kept } of all) {
    if (kept !== undefined) {
      await passOnKept(kept, sink, { tailLines: options.tailLines, isTitled: all.length > 1 })
      continue
    }
    const title = attemptTitle(pod)
    sink.open?.(pod)
    if (title !== '') sink.begin(title)
    const stream = await client.podLog(pod.metadata, { ...query(pod, options), follow: false })
    for await (const bytes of stream) await sink.write(bytes)
    await sink.end?.()
  }
  return { pods: own.length + gone.length, printed: all.length }
}

type Output =
  | { readonly pod: Pod; readonly kept?: undefined }
  | { readonly pod?: undefined; readonly kept: KeptOutput }

/** Pods and the output of those that are gone, the oldest first. */
export function inOrder(pods: readonly Pod[], gone: readonly KeptOutput[]): Output[] {
  const all: Output[] = []
  const left = gone.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
  for (const pod of pods.toSorted(byAge)) {
    const { creationTimestamp = '' } = pod.metadata
    while (left[0] !== undefined && left[0].createdAt <= creationTimestamp) {
      all.push({ kept: left[0] })
      left.shift()
    }
    all.push({ pod })
  }
  return [...all, ...left.map((kept) => ({ kept }))]
}

interface KeptOptions {
  readonly tailLines: number | undefined
  readonly isTitled: boolean
  /** The number of bytes at its beginning that were forwarded before the pod was deleted. */
  readonly passed?: number
}

/** Forwards the output of a pod that is gone. */
export async function passOnKept(
  { pod, read }: KeptOutput,
  sink: OutputSink,
  { tailLines, isTitled, passed = 0 }: KeptOptions,
): Promise<void> {
  sink.open?.(undefined)
  if (isTitled) sink.begin(`pod ${pod}`)
  let seen = 0
  for await (const bytes of await read(tailLines)) {
    const fresh = bytes.subarray(Math.max(0, Math.min(bytes.length, passed - seen)))
    seen += bytes.length
    if (fresh.length > 0) await sink.write(fresh)
  }
  await sink.end?.()
}

const pauseMs = 500
const mostTries = 20

interface Passed {
  /** The number of bytes that were forwarded. */
  readonly bytes: number
  /** False if the pod was deleted before all of its output could be read. */
  readonly isWhole: boolean
}

/**
 * Follows the output of one pod until it ends. After a lost connection it reads from the start and skips what was
 * forwarded.
 */
export async function passOn(
  client: KubeClient,
  pod: Pod,
  sink: OutputSink,
  options: OutputOptions & { readonly signal: AbortSignal },
): Promise<Passed> {
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
      return { bytes: passed, isWhole: true }
    } catch (error) {
      if (options.signal.aborted || isNotFound(error)) break
      if (!isUnreachable(error) && !isBadRequest(error)) throw error
      await delay(pauseMs, undefined, { signal: options.signal }).catch(() => undefined)
    }
  }
  return { bytes: passed, isWhole: false }
}

function query(pod: Pod, options: OutputOptions & { readonly signal: AbortSignal }) {
  const { tailLines, timestamps, signal } = options
  const container = options.container ?? pod.spec.containers[0]?.name
  return { container, tailLines, timestamps, signal }
}
