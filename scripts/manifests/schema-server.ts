import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Outcome, runCommand } from './run-command.ts'

const root = join(import.meta.dirname, '..', '..')

/** An ephemeral API server with the schemas of Kubernetes and of the project's kinds. */
export interface SchemaServer {
  kubectl(args: readonly string[], stdin?: string): Promise<Outcome>
  stop(): Promise<void>
}

export async function startSchemaServer(kubectl: string): Promise<SchemaServer> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-schemas-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const main = join(root, 'packages', 'apiserver', 'src', 'main', 'start.mjs')
  const args = [
    main,
    '--ephemeral',
    '--secure-port',
    '0',
    '--kubeconfig',
    kubeconfig,
    '--log-level',
    'error',
    // Service accounts and priority classes of manifests do not exist in this server.
    '--disable-admission-plugins',
    'ServiceAccount,Priority',
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const server: SchemaServer = {
    kubectl: (command, stdin = '') =>
      runCommand(kubectl, command, { stdin, env: { KUBECONFIG: kubeconfig, HOME: folder } }),
    stop: async () => {
      child.kill('SIGTERM')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('ready ')) resolve()
      })
      child.once('exit', (code) => reject(new Error(`the API server exited with ${code}`)))
    })
    const definitions = join(root, 'charts', 'agents', 'crds')
    const { code, stderr } = await server.kubectl(['create', '--filename', definitions])
    if (code !== 0)
      throw new Error(`the API server rejected the definitions of the chart: ${stderr}`)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}
