import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A process of this machine. The start time tells it from a later one with the same id. */
interface RunningProcess {
  readonly pid: number
  readonly parent: number
  readonly started: string
}

const graceMs = 15_000
const pollMs = 50

/**
 * Ends a process and everything that it has started: also what detached itself, and what lost its parent but inherited
 * the marker in its environment. It may stop its servers first.
 */
export async function stopTree(pid: number, marker: string): Promise<void> {
  const tree = treeOf(pid, marker)
  signal([{ pid }], 'SIGTERM')
  const deadline = Date.now() + graceMs
  const root = tree.filter((one) => one.pid === pid)
  while (Date.now() < deadline && survivors(root).length > 0) await delay(pollMs)
  // Servers that were started or orphaned meanwhile are found by the marker only.
  signal([...survivors(tree), ...treeOf(pid, marker)], 'SIGKILL')
}

/** What a run has left behind. */
export function stopMarked(marker: string): void {
  const all = readProcesses()
  signal(
    all.filter(({ pid }) => hasMarker(pid, marker)),
    'SIGKILL',
  )
}

function treeOf(root: number, marker: string): RunningProcess[] {
  const all = readProcesses()
  const found = new Map<number, RunningProcess>()
  const add = (one: RunningProcess): void => {
    if (found.has(one.pid)) return
    found.set(one.pid, one)
    for (const child of all) if (child.parent === one.pid) add(child)
  }
  for (const one of all) if (one.pid === root || hasMarker(one.pid, marker)) add(one)
  found.delete(process.pid)
  return [...found.values()]
}

function survivors(tree: readonly RunningProcess[]): RunningProcess[] {
  const now = new Map(readProcesses().map((one) => [one.pid, one.started]))
  return tree.filter(({ pid, started }) => now.get(pid) === started)
}

function signal(processes: readonly { pid: number }[], name: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended by itself.
    }
  }
}

/** Empty where the system has no /proc: only the process itself is known there. */
function readProcesses(): RunningProcess[] {
  let names: readonly string[] = []
  try {
    names = readdirSync('/proc')
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const found = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined
    return found === undefined ? [] : [found]
  })
}

function readProcess(pid: number): RunningProcess | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state = '', parent = ''] = fields
    if (state === 'Z') return undefined
    return { pid, parent: Number(parent), started: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

function hasMarker(pid: number, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(marker)
  } catch {
    return false
  }
}
