import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Availability, binariesAvailable, ensureBinaries, type Progress } from './binaries.ts'
import { type ChildProgram, startProgram } from './child-program.ts'
import { type ClusterLayout, programArguments } from './cluster-flags.ts'
import { freePort } from './free-port.ts'
import type { TestbedBinary } from './go-builds.ts'
import { kubeconfigText } from './kubeconfig.ts'
import { httpAnswers, httpsReady } from './readiness.ts'

export interface StaticToken {
  readonly token: string
  readonly user: string
  readonly uid?: string
  readonly groups?: readonly string[]
}

interface RealClusterOptions {
  /** Tokens that are accepted besides the administrator's. */
  readonly tokens?: readonly StaticToken[]
  readonly disableAdmissionPlugins?: readonly string[]
  readonly authorizationMode?: string
  readonly apiServerFlags?: readonly string[]
  readonly controllerManager?: boolean
  readonly controllerManagerFlags?: readonly string[]
  readonly scheduler?: boolean
  readonly schedulerFlags?: readonly string[]
  /** If false, etcd skips fsync: faster, but not durable. Default true. */
  readonly fsync?: boolean
  /** Time for each program to become ready, excluding the first build. Default 60,000. */
  readonly readyTimeoutMs?: number
  readonly progress?: Progress
}

/**
 * Whether `startRealCluster` can work here. On CI a missing cluster is an error and not a reason to skip, so that a
 * green run always means that both halves ran.
 */
export async function realClusterAvailable(
  env: NodeJS.ProcessEnv = process.env,
): Promise<Availability> {
  const availability = await binariesAvailable(env)
  if (!availability.available && env.CI === 'true') {
    throw new Error(`the real Kubernetes API server cannot be run: ${availability.reason}`)
  }
  return availability
}

/** Starts etcd and a kube-apiserver on loopback ports, with all state in one temporary directory. */
export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const binaries = await ensureBinaries(options.progress)
  for (let attempt = 1; ; attempt += 1) {
    const dataDir = await mkdtemp(join(tmpdir(), 'agents-real-cluster-'))
    const cluster = new RealCluster(await layOut(dataDir, options), binaries, options)
    try {
      await cluster.start()
      return cluster
    } catch (error) {
      await cluster.stop()
      // Another process may have taken the port between choosing it and listening on it.
      const portTaken = error instanceof Error && error.message.includes('address already in use')
      if (!portTaken || attempt === 3) throw error
    }
  }
}

interface RestartOptions {
  /** SIGKILL simulates a crash. Default SIGTERM. */
  readonly signal?: NodeJS.Signals
  /** Whether etcd is restarted too. Default false. */
  readonly etcd?: boolean
}

export class RealCluster {
  readonly url: string
  readonly dataDir: string
  readonly kubeconfigPath: string
  readonly adminToken: string
  #caPem = ''
  readonly #layout: ClusterLayout
  readonly #binaries: Readonly<Record<TestbedBinary, string>>
  readonly #options: RealClusterOptions
  readonly #programs = new Map<TestbedBinary, ChildProgram>()
  /** The programs are killed then, too. */
  readonly #removeAtExit = (): void => rmSync(this.dataDir, removal)

  constructor(
    layout: ClusterLayout,
    binaries: Readonly<Record<TestbedBinary, string>>,
    options: RealClusterOptions,
  ) {
    this.#layout = layout
    this.#binaries = binaries
    this.#options = options
    this.url = `https://127.0.0.1:${layout.apiServerPort}`
    this.dataDir = layout.dataDir
    this.kubeconfigPath = layout.kubeconfigPath
    this.adminToken = layout.adminToken
  }

  /** The certificate authority that the API server generated. */
  get caPem(): string {
    return this.#caPem
  }

  get pids(): Readonly<Partial<Record<TestbedBinary, number>>> {
    return Object.fromEntries([...this.#programs].map(([name, program]) => [name, program.pid]))
  }

  /** Writes a kubeconfig for an additional token to the cluster's directory. */
  async writeKubeconfig(name: string, token: string, namespace?: string): Promise<string> {
    const path = join(this.dataDir, `${name}.kubeconfig`)
    const entry = { url: this.url, caPem: this.#caPem, token, ...(namespace && { namespace }) }
    await writeFile(path, kubeconfigText(entry), { mode: 0o600 })
    return path
  }

  async start(): Promise<void> {
    await this.#run('etcd')
    process.once('exit', this.#removeAtExit)
    await this.#until('etcd', () => httpAnswers(`http://127.0.0.1:${this.#layout.etcdPort}/health`))
    await this.#startApiServer()
    await this.#startControllers()
  }

  /** Restarts the API server on the same port and data; clients see a broken connection and then the same cluster. */
  async restart({ signal = 'SIGTERM', etcd = false }: RestartOptions = {}): Promise<void> {
    await this.#programs.get('kube-apiserver')?.stop(signal)
    if (etcd) {
      await this.#programs.get('etcd')?.stop(signal)
      await this.#run('etcd')
    }
    await this.#startApiServer()
    await this.#startControllers()
  }

  /** Stops the programs in reverse order and removes the directory. Idempotent. */
  async stop(): Promise<void> {
    for (const program of [...this.#programs.values()].reverse()) await program.stop()
    this.#programs.clear()
    process.off('exit', this.#removeAtExit)
    await rm(this.dataDir, removal)
  }

  async #startApiServer(): Promise<void> {
    await this.#run('kube-apiserver')
    await this.#until('kube-apiserver', async () => {
      this.#caPem = await selfSignedAuthority(this.#layout.certificateDirectory)
      return this.#caPem !== '' && httpsReady(`${this.url}/readyz`, this.#caPem, this.adminToken)
    })
    const entry = { url: this.url, caPem: this.#caPem, token: this.adminToken }
    await writeFile(this.kubeconfigPath, kubeconfigText(entry), { mode: 0o600 })
    await writeFile(this.#layout.authorityPath, this.#caPem)
  }

  // Controllers that lose the API server during their start exit, so that a restart has to restart them too.
  async #startControllers(): Promise<void> {
    const { controllerManager, scheduler } = this.#options
    if (scheduler === true && !this.#runs('kube-scheduler')) await this.#run('kube-scheduler')
    if (controllerManager !== true || this.#runs('kube-controller-manager')) return
    await this.#run('kube-controller-manager')
    const sign = `${this.url}/api/v1/namespaces/default/serviceaccounts/default`
    await this.#until('kube-controller-manager', () =>
      httpsReady(sign, this.#caPem, this.adminToken),
    )
  }

  #runs(name: TestbedBinary): boolean {
    const program = this.#programs.get(name)
    return program !== undefined && program.exited() === undefined
  }

  async #run(name: TestbedBinary): Promise<void> {
    const logPath = join(this.#layout.logDirectory, `${name}.log`)
    const args = programArguments(name, this.#layout, this.#options)
    this.#programs.set(name, await startProgram(name, this.#binaries[name], args, logPath))
  }

  async #until(name: TestbedBinary, ready: () => Promise<boolean>): Promise<void> {
    const program = this.#programs.get(name)
    const deadline = performance.now() + (this.#options.readyTimeoutMs ?? 240_000)
    while (!(await ready())) {
      const ending = program?.exited()
      const late = performance.now() > deadline
      if (ending !== undefined || late) {
        const log = await program?.logTail()
        throw new Error(
          `${name} ${ending ?? 'did not become ready in time'}; its log ends:\n${log}`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

const removal = { recursive: true, force: true, maxRetries: 3 } as const

async function layOut(dataDir: string, options: RealClusterOptions): Promise<ClusterLayout> {
  const adminToken = randomBytes(24).toString('hex')
  const layout: ClusterLayout = {
    dataDir,
    adminToken,
    etcdPort: await freePort(),
    apiServerPort: await freePort(),
    logDirectory: join(dataDir, 'logs'),
    certificateDirectory: join(dataDir, 'certificates'),
    authorityPath: join(dataDir, 'ca.crt'),
    tokenPath: join(dataDir, 'tokens.csv'),
    signingKeyPath: join(dataDir, 'service-account.key'),
    kubeconfigPath: join(dataDir, 'admin.kubeconfig'),
  }
  await mkdir(layout.logDirectory)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signingKey = privateKey.export({ type: 'pkcs1', format: 'pem' })
  const admin = { token: adminToken, user: 'admin', groups: ['system:masters'] }
  const tokens = [admin, ...(options.tokens ?? [])].map(tokenLine).join('\n')
  await writeFile(layout.signingKeyPath, signingKey, { mode: 0o600 })
  await writeFile(layout.tokenPath, `${tokens}\n`, { mode: 0o600 })
  return layout
}

function tokenLine({ token, user, uid = user, groups = [] }: StaticToken): string {
  return [token, user, uid, ...(groups.length > 0 ? [`"${groups.join(',')}"`] : [])].join(',')
}

// The API server writes its certificate, followed by the authority that signed it, to one file.
async function selfSignedAuthority(directory: string): Promise<string> {
  const text = await readFile(join(directory, 'apiserver.crt'), 'utf8').catch(() => '')
  return /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\s*$/.exec(text)?.[0] ?? ''
}
