import { readdir, readFile, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type Marker, markersIn } from './marker-secrets.ts'

/** A process that had a marker in its arguments or its environment. */
export interface Sighting {
  readonly where: 'argv' | 'environ'
  readonly uid: number
  readonly command: string
  readonly markers: readonly string[]
}

interface ProcessWatch {
  /** Until now, each once. */
  seen(): readonly Sighting[]
  stop(): Promise<readonly Sighting[]>
}

/** Looks at all processes of the machine again and again. */
export function watchProcesses(markers: readonly Marker[]): ProcessWatch {
  const sightings = new Map<string, Sighting>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
      await Promise.all(
        pids.map(async (pid) => {
          for (const sighting of await scan(pid, markers)) {
            sightings.set(JSON.stringify(sighting), sighting)
          }
        }),
      )
      await delay(20)
    }
  })()
  return {
    seen: () => [...sightings.values()],
    stop: async () => {
      isOver = true
      await watching
      return [...sightings.values()]
    },
  }
}

/** What a process shows at one moment: it may become another program, of another user, between two reads. */
interface Snapshot {
  readonly argv: string
  readonly environ: string
  readonly uid: number
}

async function scan(pid: string, markers: readonly Marker[]): Promise<Sighting[]> {
  const snapshot = await takeSnapshot(pid)
  if (snapshot === undefined) return []
  const { argv, environ, uid } = snapshot
  const command = argv.split('\0').slice(0, 12).join(' ').slice(0, 600)
  function seen(where: Sighting['where'], text: string): Sighting[] {
    const found = markersIn(markers, text)
    return found.length === 0 ? [] : [{ where, uid, command, markers: found }]
  }
  return [...seen('argv', argv), ...seen('environ', environ)]
}

/** Undefined if the process has ended, or did not stay the same program for the time of three reads. */
async function takeSnapshot(pid: string): Promise<Snapshot | undefined> {
  const folder = `/proc/${pid}`
  try {
    for (let tries = 0; tries < 20; tries += 1) {
      const before = await identityOf(folder)
      const environ = await readFile(`${folder}/environ`, 'utf8')
      const after = await identityOf(folder)
      // The arguments are empty for a moment while a process becomes another program.
      const isWhole = before.argv !== '' || environ === ''
      if (isWhole && before.argv === after.argv && before.uid === after.uid) {
        return { ...after, environ }
      }
      await delay(1)
    }
  } catch {
    // The process has ended.
  }
  return undefined
}

async function identityOf(folder: string): Promise<Omit<Snapshot, 'environ'>> {
  const argv = await readFile(`${folder}/cmdline`, 'utf8')
  const { uid } = await stat(folder)
  return { argv, uid }
}
