import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, loadKubeconfig, systemEffects } from '@agents/kube'
import { startProgram } from './child-program.ts'
import { freePort } from './free-port.ts'
import { startRealCluster } from './real-cluster.ts'
import { connectionTo } from './server.ts'

/** A server whose data outlives its process. */
export interface FaultServer {
  readonly connection: Connection
  /** For programs that connect by themselves. */
  readonly kubeconfigPath: string
  /** Sends SIGKILL, waits a moment and starts the same server again. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export const faultServers: Readonly<Record<'embedded' | 'real', () => Promise<FaultServer>>> = {
  embedded: startEmbeddedProcess,
  real: startRealProcess,
}

async function startRealProcess(): Promise<FaultServer> {
  // The garbage collector has to run: it deletes what a controller with a stale cache may leave behind.
  const cluster = await startRealCluster({ controllerManager: true, fsync: false })
  const { url, caPem, adminToken, kubeconfigPath } = cluster
  return {
    connection: connectionTo(url, caPem, adminToken),
    kubeconfigPath,
    crash: () => cluster.restart({ signal: 'SIGKILL' }),
    stop: () => cluster.stop(),
  }
}

async function startEmbeddedProcess(): Promise<FaultServer> {
  const directory = await mkdtemp(join(tmpdir(), 'agents-faults-'))
  const port = await freePort()
  const kubeconfigPath = join(directory, 'admin.kubeconfig')
  const logPath = join(directory, 'apiserver.log')
  const command = join(import.meta.dirname, '../../../packages/apiserver/src/main/apiserver.ts')
  const flags = [
    `--data-dir=${join(directory, 'data')}`,
    `--secure-port=${port}`,
    `--kubeconfig=${kubeconfigPath}`,
  ]
  const start = async (lives: number) => {
    const program = await startProgram('apiserver', process.execPath, [command, ...flags], logPath)
    for (;;) {
      const log = await readFile(logPath, 'utf8')
      if ((log.match(/^ready https:\S+$/gm) ?? []).length >= lives) return program
      const ending = program.exited()
      if (ending !== undefined) throw new Error(`the embedded server ${ending}:\n${log}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  let lives = 1
  let program = await start(lives)
  const text = await readFile(kubeconfigPath, 'utf8')
  return {
    connection: await loadKubeconfig({ text }, systemEffects({})),
    kubeconfigPath,
    crash: async () => {
      await program.stop('SIGKILL')
      lives += 1
      program = await start(lives)
    },
    stop: async () => {
      await program.stop()
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
