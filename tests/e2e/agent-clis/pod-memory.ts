import { readdirSync, readFileSync } from 'node:fs'

/** By uid of the pod: the most memory that its processes had at a time, in MiB. Shared pages count once. */
export interface PodMemory {
  stop(): ReadonlyMap<string, number>
}

const everyMs = 2000
const marker = /(?:^|\0)AGENTS_CONTAINER=[^\0]*?([0-9a-f]{8}-[0-9a-f-]{27})/

/** Watches the processes of the local node's containers. */
export function watchPodMemory(): PodMemory {
  const most = new Map<string, number>()
  const timer = setInterval(() => {
    for (const [pod, mebibytes] of memoryNow()) {
      most.set(pod, Math.max(most.get(pod) ?? 0, mebibytes))
    }
  }, everyMs)
  return {
    stop: () => {
      clearInterval(timer)
      return most
    },
  }
}

function memoryNow(): Map<string, number> {
  const byPod = new Map<string, number>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const pod = marker.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'))?.[1]
      if (pod === undefined) continue
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      const mebibytes = Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) / 1024
      byPod.set(pod, (byPod.get(pod) ?? 0) + mebibytes)
    } catch {
      // It has ended, or is not ours to look into.
    }
  }
  return byPod
}
