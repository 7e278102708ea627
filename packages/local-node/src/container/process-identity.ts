import { readdir, readFile } from 'node:fs/promises'

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** In the kernel's ticks since the machine started; empty where the kernel does not tell. */
  readonly startTime: string
}

/** From what the shim wrote: its pid, then the kernel's line about it. Undefined while the line is incomplete. */
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

/** Field 22 of the line; the name in field 2 may hold anything, also spaces and brackets. */
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

/** To the whole process group, which has the number of its first process. Gone already is as good. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 1) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody is left there.
  }
}

/** Set in the environment of every process of a container, so that those that left their group are found, too. */
export const markerName = 'AGENTS_CONTAINER'

/** Ends all processes whose marker `isOver`. Where the kernel does not show environments there are none. */
export async function killMarked(isOver: (marker: string) => boolean): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  let killed = 0
  for (const pid of pids) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    const entry = environment.split('\0').find((one) => one.startsWith(`${markerName}=`))
    if (entry === undefined || !isOver(entry.slice(markerName.length + 1))) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
      killed += 1
    } catch {
      // Ended by itself.
    }
  }
  return killed
}

/** Differs after each start of the machine; empty where unknown. */
export async function bootId(): Promise<string> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return text.trim()
}
