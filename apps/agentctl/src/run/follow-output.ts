import { createInformer, type KubeClient, type ObjectKey, type Pod, PodKind } from '@agents/kube'
import { agentRuns } from './run-kind.ts'
import {
  inOrder,
  type KeptOutput,
  type OutputOptions,
  type OutputSink,
  passOn,
  passOnKept,
  type ReadKept,
} from './run-output.ts'
import { belongsTo, byAge, hasOutput, runSelector } from './run-pods.ts'

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
  options: OutputOptions & {
    /** The output of pods that may no longer exist. If omitted, none. */
    readonly kept?: ReadKept | undefined
  } = {},
): FollowedOutput {
  const { of = agentRuns, tailLines, kept: readKept } = options
  const control = new AbortController()
  const { signal } = control
  const own = { namespace: run.namespace, labelSelector: runSelector(run.name, of) }
  const informer = createInformer({ client, kind: PodKind, ...own })
  const begun = new Set<string>()
  /** Pods whose output was forwarded to its end, and those that were deleted before, with the bytes so far. */
  const whole = new Set<string>()
  const cut = new Map<string, number>()
  let queue = Promise.resolve()
  const failure: { error?: unknown } = {}
  // The error is kept until finish: one pod without readable output must not end the program.
  const enqueue = (task: () => Promise<void>): void => {
    queue = queue.then(task).catch((error: unknown) => {
      failure.error ??= error
    })
  }
  const takeKept = async (kept: KeptOutput, isTitled: boolean): Promise<void> => {
    const passed = cut.get(kept.pod) ?? 0
    // The last lines of a part of the output are not those of the whole.
    if (passed > 0 && tailLines !== undefined) return
    await passOnKept(kept, sink, { tailLines, isTitled: isTitled && passed === 0, passed })
    whole.add(kept.pod)
  }
  const take = (pod: Pod): void => {
    const { name, uid = name } = pod.metadata
    if (begun.has(uid) || !belongsTo(pod, run.name, of) || !hasOutput(pod)) return
    begun.add(uid)
    enqueue(async () => {
      const { bytes, isWhole } = await passOn(client, pod, sink, { ...options, signal })
      if (isWhole) {
        whole.add(name)
        return
      }
      cut.set(name, bytes)
      if (signal.aborted) return
      // If its output is not kept yet, finish tries again.
      const kept = await readKept?.().catch(() => [])
      const found = kept?.find((each) => each.pod === name)
      if (found !== undefined) await takeKept(found, false)
    })
  }
  /** Takes the output that exists before the first change. Later pods are younger. */
  const begin = async (): Promise<void> => {
    if (readKept === undefined) return
    const [{ items }, kept] = await Promise.all([client.list(PodKind, own), readKept()])
    const existing = items.filter((pod) => belongsTo(pod, run.name, of))
    const names = new Set(existing.map(({ metadata }) => metadata.name))
    const gone = kept.filter(({ pod }) => !names.has(pod))
    const all = inOrder(existing.filter(hasOutput), gone)
    for (const each of all) {
      const { kept: output } = each
      if (output === undefined) take(each.pod)
      else enqueue(() => takeKept(output, all.length > 1))
    }
  }
  informer.addHandler({ onAdd: take, onUpdate: (_, pod) => take(pod) })
  // Running pods can be followed without it, and finish reports what cannot be read.
  const begins = begin()
    .catch(() => undefined)
    .then(() => {
      if (!signal.aborted) informer.start()
    })
  return {
    finish: async () => {
      await begins
      // The informer may have missed the last pod.
      const { items } = await client.list(PodKind, own)
      for (const pod of items.toSorted(byAge)) take(pod)
      await queue
      await informer.stop()
      if (failure.error !== undefined) throw failure.error
      const left = ((await readKept?.()) ?? []).filter(({ pod }) => !whole.has(pod))
      for (const kept of left) await takeKept(kept, whole.size + left.length > 1)
      const parts = [...cut].filter(([pod, bytes]) => bytes > 0 && !whole.has(pod))
      return whole.size + parts.length
    },
    stop: async () => {
      control.abort()
      await begins
      await informer.stop()
      await queue
    },
  }
}
