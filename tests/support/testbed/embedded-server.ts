import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type ChildProgram, startProgram } from './child-program.ts'
import { kubeconfigText } from './kubeconfig.ts'
import type { StaticToken } from './real-cluster.ts'

interface EmbeddedServerOptions {
  /** Kept when the server stops, so that another can reuse it. If omitted, everything is in memory. */
  readonly dataDir?: string
  /** Tokens that are accepted besides the administrator's. */
  readonly tokens?: readonly StaticToken[]
  readonly port?: number
  readonly flags?: readonly string[]
  /** Flags for Node itself. */
  readonly nodeFlags?: readonly string[]
  /** Runs the command through another program, e.g. a shell that limits it first. */
  readonly through?: readonly string[]
}

/** The shipped command in its own process. */
export interface EmbeddedServer {
  readonly url: string
  readonly port: number
  readonly caPem: string
  readonly adminToken: string
  readonly kubeconfigPath: string
  readonly program: ChildProgram
  /** From the start of the process until it reported that it was ready. */
  readonly startMs: number
  readonly log: () => Promise<string>
  /** Idempotent. SIGKILL simulates a crash. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

const command = join(import.meta.dirname, '../../../packages/apiserver/src/main/start.mjs')

export async function startEmbeddedServer(
  options: EmbeddedServerOptions = {},
): Promise<EmbeddedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'agents-embedded-'))
  const adminToken = randomBytes(24).toString('hex')
  const admin = { token: adminToken, user: 'admin', groups: ['system:masters'] }
  const tokenFile = join(directory, 'tokens.csv')
  const lines = [admin, ...(options.tokens ?? [])].map(tokenLine)
  await writeFile(tokenFile, `${lines.join('\n')}\n`, { mode: 0o600 })

  const logPath = join(directory, 'apiserver.log')
  const ownKubeconfig = join(directory, 'own.kubeconfig')
  const [file = process.execPath, ...args] = [
    ...(options.through ?? []),
    process.execPath,
    ...(options.nodeFlags ?? []),
    command,
    ...(options.dataDir === undefined ? ['--ephemeral'] : [`--data-dir=${options.dataDir}`]),
    `--secure-port=${options.port ?? 0}`,
    `--kubeconfig=${ownKubeconfig}`,
    `--token-auth-file=${tokenFile}`,
    ...(options.flags ?? []),
  ]
  const started = performance.now()
  const program = await startProgram('apiserver', file, args, logPath)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    await program.stop(signal)
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    const url = await readyUrl(logPath, program.exited)
    const startMs = performance.now() - started
    const caPem = authorityOf(await readFile(ownKubeconfig, 'utf8'))
    const kubeconfigPath = join(directory, 'admin.kubeconfig')
    await writeFile(kubeconfigPath, kubeconfigText({ url, caPem, token: adminToken }), {
      mode: 0o600,
    })
    const port = Number(new URL(url).port)
    const log = () => readFile(logPath, 'utf8')
    return { url, port, caPem, adminToken, kubeconfigPath, program, startMs, log, stop }
  } catch (error) {
    const log = await program.logTail()
    await stop()
    throw new Error(`the embedded server did not start; its log ends:\n${log}`, { cause: error })
  }
}

function tokenLine({ token, user, uid = user, groups = [] }: StaticToken): string {
  return [token, user, uid, `"${groups.join(',')}"`].join(',')
}

async function readyUrl(logPath: string, exited: () => string | undefined): Promise<string> {
  const deadline = performance.now() + 120_000
  for (;;) {
    const [, url] = /^ready (https:\S+)$/m.exec(await readFile(logPath, 'utf8')) ?? []
    if (url !== undefined) return url
    const ending = exited()
    if (ending !== undefined) throw new Error(ending)
    if (performance.now() > deadline) throw new Error('not ready in time')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

interface Kubeconfig {
  readonly clusters: readonly { cluster: { 'certificate-authority-data': string } }[]
}

function authorityOf(kubeconfig: string): string {
  const { clusters } = parse(kubeconfig) as Kubeconfig
  const encoded = clusters[0]?.cluster['certificate-authority-data'] ?? ''
  return Buffer.from(encoded, 'base64').toString('utf8')
}
