import { readdir, readFile } from 'node:fs/promises'

/** Identifies a process, also against a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number
  /** In kernel ticks since boot; empty if unknown. */
  readonly startTime: string
}

/** Parses the claim of a shim: its pid, followed by its line in /proc. Undefined while the line is incomplete. */
export function parseClaim(text: string): ProcessIdentity | undefined {
  if (!text.endsWith('\n')) return undefined
  const space = text.indexOf(' ')
  const pid = Number(text.slice(0, space))
  if (!Number.isInteger(pid) || pid <= 1) return undefined
  return { pid, startTime: startTimeIn(text.slice(space + 1)) }
}

export async function isAlive({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  if (startTime === '') return exists(pid)
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    const isZombie = stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
    return !isZombie && startTimeIn(stat) === startTime
  } catch {
    return false
  }
}

/** Field 22 of the line; the name in field 2 may contain spaces and brackets. */
function startTimeIn(stat: string): string {
  const close = stat.lastIndexOf(')')
  if (close === -1) return ''
  return stat.slice(close + 2).split(' ')[19] ?? ''
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Signals the whole process group. Succeeds if it has ended. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 1) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has no process left.
  }
}

/** Set in the environment of every process of a container, so that processes that left their group can be found. */
export const markerName = 'AGENTS_CONTAINER'

/** Kills all processes whose marker `isOver`. Does nothing if the kernel does not expose environments. */
export async function killMarked(isOver: (marker: string) => boolean): Promise<number> {
  const pids = await processesWith(markerName, isOver)
  signalAll(pids, 'SIGKILL')
  return pids.length
}

/** Processes in whose environment the variable has an accepted value. */
export async function processesWith(
  variable: string,
  accepts: (value: string) => boolean,
): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found: number[] = []
  for (const pid of pids) {
    const value = (await environmentOf(Number(pid)))?.[variable]
    if (value !== undefined && accepts(value)) found.push(Number(pid))
  }
  return found
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has ended by itself.
    }
  }
}

/** The environment with which a process was started; undefined if the kernel does not expose it. */
export async function environmentOf(pid: number): Promise<Record<string, string> | undefined> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  if (text === '') return undefined
  const entries = text.split('\0').flatMap((entry) => {
    const at = entry.indexOf('=')
    return at <= 0 ? [] : [[entry.slice(0, at), entry.slice(at + 1)] as const]
  })
  return Object.fromEntries(entries)
}

/** Changes with each boot of the machine; empty if unknown. */
export async function bootId(): Promise<string> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return text.trim()
}
