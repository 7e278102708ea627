import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedServer } from '../../testbed/embedded-server.ts'
import { startRealCluster } from '../../testbed/real-cluster.ts'
import { Connection } from './connection.ts'

/** A server that is measured. Both keep what they acknowledged, through fsync. */
export interface Subject {
  readonly name: string
  /** From starting the process, or processes, until the server is ready. */
  readonly startMs: number
  connect(): Promise<Connection>
  /** Resident memory of the server and of what stores its data, in bytes. */
  memory(): number
  /** The longest that the event loop was held since it was asked last; undefined where there is none. */
  longestBlockMs(): Promise<number | undefined>
  stop(): Promise<void>
}

export async function embeddedSubject(): Promise<Subject> {
  const dataDir = await mkdtemp(join(tmpdir(), 'agents-bench-'))
  // The second start is measured: the first one makes keys and fills the compile cache.
  await (await startEmbeddedServer({ dataDir })).stop()
  const probe = join(import.meta.dirname, 'loop-probe.mjs')
  const measured = await startEmbeddedServer({ dataDir })
  await measured.stop()
  const server = await startEmbeddedServer({ dataDir, nodeFlags: ['--import', probe] })
  const { pid } = server.program
  return {
    name: 'embedded',
    startMs: measured.startMs,
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
      await rm(dataDir, { recursive: true, force: true })
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
