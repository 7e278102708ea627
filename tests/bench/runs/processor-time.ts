import { readdir, readFile } from 'node:fs/promises'

/** CPU milliseconds that programs have used, by name. */
export type ProcessorTimes = Readonly<Record<string, number>>

export interface Measured {
  readonly wallMs: number
  readonly times: ProcessorTimes
}

/**
 * Measures the CPU time of the work. Each program counts with all processes that it has started, as far as the kernel
 * reports it, in ticks of 10 ms. This process, which drives and observes the work, counts as `bench`, without the
 * programs, which are its children.
 */
export async function whileMeasured(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<void>,
): Promise<Measured> {
  const before = await timesOf(pids)
  const ownBefore = process.cpuUsage()
  const began = performance.now()
  await work()
  const wallMs = performance.now() - began
  const { user, system } = process.cpuUsage(ownBefore)
  const after = Object.entries(await timesOf(pids))
  const times = after.map(([name, ms]) => [name, ms - (before[name] ?? 0)])
  return { wallMs, times: { ...Object.fromEntries(times), bench: (user + system) / 1000 } }
}

async function timesOf(pids: Readonly<Record<string, number>>): Promise<ProcessorTimes> {
  const times = Object.entries(pids).map(async ([name, pid]) => [name, await timeOf(pid)] as const)
  return Object.fromEntries(await Promise.all(times))
}

async function timeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return 0
  // The program name precedes them, and may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system, usersOfEnded, systemOfEnded] = fields.slice(11, 15).map(Number)
  const own = ((user ?? 0) + (system ?? 0) + (usersOfEnded ?? 0) + (systemOfEnded ?? 0)) * tickMs
  const children = await Promise.all((await childrenOf(pid)).map(timeOf))
  return children.reduce((sum, ms) => sum + ms, own)
}

const tickMs = 10

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
  )
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}
