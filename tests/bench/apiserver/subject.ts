import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { Connection } from '../../support/testbed/raw-http-connection.ts'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'

/** A measured server. Both persist acknowledged writes with fsync. */
export interface Subject {
  readonly name: string
  /**
   * From starting the process, or processes, until the server is ready: the first time with empty storage, and again
   * later.
   */
  readonly firstStartMs: number
  readonly startMs: number
  connect(): Promise<Connection>
  /** Resident memory of the server and its storage, in bytes. */
  memory(): number
  /** The longest time that the event loop was blocked since the last call; undefined if the server has none. */
  longestBlockMs(): Promise<number | undefined>
  stop(): Promise<void>
}

export async function embeddedSubject(): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-bench-'))
  const dataDir = join(folder, 'data')
  // A separate cache, so that the first start includes stripping types, compiling and generating keys.
  const through = ['env', `XDG_CACHE_HOME=${join(folder, 'cache')}`]
  const starts: number[] = []
  for (let n = 0; n < 4; n++) {
    const started = await startEmbeddedServer({ dataDir, through })
    starts.push(started.startMs)
    await started.stop()
  }
  const [firstStartMs = 0, ...later] = starts
  const probe = join(import.meta.dirname, 'loop-probe.mjs')
  const server = await startEmbeddedServer({ dataDir, through, nodeFlags: ['--import', probe] })
  const { pid } = server.program
  return {
    name: 'embedded',
    firstStartMs,
    startMs: later.toSorted((a, b) => a - b)[1] ?? 0,
    connect: () => Connection.open(server.url, server.caPem, server.adminToken),
    memory: () => residentBytes(pid),
    longestBlockMs: async () => {
      process.kill(pid, 'SIGUSR2')
      await sleep(100)
      const [, text = '0'] =
        [...(await server.log()).matchAll(/^longest block (\S+)$/gm)].at(-1) ?? []
      return Number(text)
    },
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function realSubject(): Promise<Subject> {
  const started = performance.now()
  const cluster = await startRealCluster()
  const startMs = performance.now() - started
  const pids = Object.values(cluster.pids)
  return {
    name: 'real',
    firstStartMs: startMs,
    startMs,
    connect: () => Connection.open(cluster.url, cluster.caPem, cluster.adminToken),
    memory: () => pids.reduce((total, pid) => total + residentBytes(pid), 0),
    longestBlockMs: async () => undefined,
    stop: () => cluster.stop(),
  }
}

function residentBytes(pid: number): number {
  const [, kilobytes = '0'] =
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
