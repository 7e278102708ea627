import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { KubeObject, Pod } from '@agents/kube'
import { pathExists } from '../folder/path-exists.ts'
import { type PodFolder, stateFolder } from '../folder/pod-folder.ts'
import { readLog } from './read-log.ts'

/** Parameters of a log request to the API server. */
interface PodLogOptions {
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines?: number
  readonly limitBytes?: number
  readonly sinceSeconds?: number
  readonly sinceTime?: Date
}

type PodLogs = (
  pod: KubeObject,
  options: PodLogOptions,
  signal: AbortSignal,
) => AsyncIterable<Uint8Array>

const pollMs = 100

/** Serves the logs in a node's state folder. Only reads, so it works before the node starts and after it stops. */
export function createPodLogs(stateDir: string, now: () => number = Date.now): PodLogs {
  const state = stateFolder(stateDir, undefined)
  return async function* podLogs(pod, options, signal) {
    const folder = state.pod(pod.metadata.uid ?? '')
    const attempt = await chosenAttempt(folder, pod as Pod, options, signal)
    if (attempt === undefined) return
    yield* readLog(
      folder.attempt(options.container, attempt),
      {
        follow: options.follow,
        timestamps: options.timestamps,
        tailLines: options.tailLines,
        limitBytes: options.limitBytes,
        since:
          options.sinceSeconds === undefined
            ? options.sinceTime
            : new Date(now() - options.sinceSeconds * 1000),
      },
      signal,
    )
  }
}

/** A follower of a container that has not started waits for it. */
async function chosenAttempt(
  folder: PodFolder,
  pod: Pod,
  { container, previous, follow }: PodLogOptions,
  signal: AbortSignal,
): Promise<number | undefined> {
  const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
  let hadFolder = false
  for (;;) {
    const numbers = await attemptNumbers(folder, container)
    const last = numbers.at(-1)
    if (last !== undefined) {
      const chosen = previous && !waitsForRestart(pod, container) ? last - 1 : last
      return numbers.includes(chosen) ? chosen : undefined
    }
    const hasFolder = await pathExists(folder.path)
    if (!follow || isOver || signal.aborted || (hadFolder && !hasFolder)) return undefined
    hadFolder = hasFolder
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Between two attempts, the previous attempt is the latest one. */
function waitsForRestart({ status }: Pod, container: string): boolean {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  return statuses.some(({ name, state }) => name === container && state?.waiting !== undefined)
}

async function attemptNumbers(folder: PodFolder, container: string): Promise<number[]> {
  const names = await readdir(folder.attempts(container)).catch(() => [])
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}
