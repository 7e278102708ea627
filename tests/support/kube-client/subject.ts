import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, loadKubeconfig, systemEffects } from '@agents/kube'
import { type ChildProgram, startProgram } from '../testbed/child-program.ts'
import { freePort } from '../testbed/free-port.ts'
import { startRealCluster } from '../testbed/real-cluster.ts'

export type SubjectName = 'embedded' | 'real'

/** A server under test. */
export interface Subject {
  readonly name: SubjectName
  readonly port: number
  /** The administrator's connection, as its kubeconfig has it now. */
  connect(): Promise<Connection>
  /** Ends the server with this signal and restarts it on the same port and data. */
  restart(signal: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

export function startSubject(name: SubjectName): Promise<Subject> {
  return name === 'embedded' ? startEmbedded() : startReal()
}

async function startReal(): Promise<Subject> {
  const cluster = await startRealCluster({
    // A kill must not lose an acknowledged write.
    fsync: true,
    // Old revisions must be compacted while the suite runs, so that it covers the consequences.
    apiServerFlags: ['--etcd-compaction-interval=5s'],
  })
  return {
    name: 'real',
    port: Number(new URL(cluster.url).port),
    connect: () => connectionOf(cluster.kubeconfigPath),
    restart: (signal) => cluster.restart({ signal }),
    stop: () => cluster.stop(),
  }
}

/** The shipped command in its own process. */
async function startEmbedded(): Promise<Subject> {
  const directory = await mkdtemp(join(tmpdir(), 'agents-kube-'))
  const port = await freePort()
  const kubeconfig = join(directory, 'admin.kubeconfig')
  let program = await runEmbedded(directory, port, kubeconfig, 0)
  let starts = 1
  return {
    name: 'embedded',
    port,
    connect: () => connectionOf(kubeconfig),
    restart: async (signal) => {
      await program.stop(signal)
      program = await runEmbedded(directory, port, kubeconfig, starts++)
    },
    stop: async () => {
      await program.stop()
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

async function runEmbedded(
  directory: string,
  port: number,
  kubeconfig: string,
  start: number,
): Promise<ChildProgram> {
  const command = join(import.meta.dirname, '../../../packages/apiserver/src/main/apiserver.ts')
  const log = join(directory, `apiserver-${start}.log`)
  const flags = [
    `--data-dir=${join(directory, 'data')}`,
    `--secure-port=${port}`,
    `--kubeconfig=${kubeconfig}`,
  ]
  const program = await startProgram('apiserver', process.execPath, [command, ...flags], log)
  const deadline = performance.now() + 120_000
  while (!/^ready https:/m.test(await readFile(log, 'utf8'))) {
    const ending = program.exited()
    if (ending !== undefined || performance.now() > deadline) {
      const tail = await program.logTail()
      await program.stop()
      throw new Error(`the embedded server ${ending ?? 'is not ready'}; its log ends:\n${tail}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return program
}

function connectionOf(path: string): Promise<Connection> {
  return loadKubeconfig({ paths: [path] }, systemEffects({}))
}
