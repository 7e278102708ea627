import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../..')
const program = join(root, 'services/gittarget/src/main/operator.ts')

export interface OperatorOptions {
  readonly kubeconfig: string
  readonly stateDir: string
  /** Folder of the compile cache. */
  readonly compiled: string
  /** The PATH of the process. */
  readonly path?: string
}

/** The shipped process, running alone so that its memory can be measured, configured as in a pod of the chart. */
export class OperatorProcess {
  readonly #child: ChildProcess
  #peak = 0
  readonly #sampler: NodeJS.Timeout
  #isStopping = false

  constructor({ kubeconfig, stateDir, compiled, path }: OperatorOptions) {
    this.#child = spawn(process.execPath, [program], {
      env: {
        ...podSettings(),
        NODE_COMPILE_CACHE: compiled,
        PATH: path ?? process.env.PATH,
        KUBECONFIG: kubeconfig,
        GITTARGET_STATE_DIR: stateDir,
        GITTARGET_ALLOW_FILE_REPOSITORIES: 'true',
        GITTARGET_LEADER_ELECTION_ENABLED: 'false',
        GITTARGET_HTTP_HOST: '127.0.0.1',
        GITTARGET_PORT: String(20_000 + (process.pid % 20_000)),
        GITTARGET_LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    this.#child.once('exit', (code, signal) => {
      // Without this error the benchmark would wait forever.
      if (!this.#isStopping) throw new Error(`the operator ended by itself: ${signal ?? code}`)
    })
    this.#sampler = setInterval(() => {
      this.#peak = Math.max(this.#peak, this.residentMiB())
    }, 50)
  }

  residentMiB(): number {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  }

  get peakMiB(): number {
    return this.#peak
  }

  /** Resets the peak, so that it covers only what follows. */
  forgetPeak(): void {
    this.#peak = 0
  }

  /** CPU seconds: of the process itself, and of its exited child processes with their descendants. */
  cpuSeconds(): { readonly own: number; readonly children: number } {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')
    const [user, system, childUser, childSystem] = (fields ?? []).slice(11, 15).map(Number)
    return {
      own: ((user ?? 0) + (system ?? 0)) / 100,
      children: ((childUser ?? 0) + (childSystem ?? 0)) / 100,
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#sampler)
    if (this.#child.exitCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    await ended
  }
}

/**
 * The memory settings of image and chart. In a pod V8 uses half of the limit; here there is no limit, so that it is set
 * explicitly.
 */
function podSettings(): Record<string, string> {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const found = dockerfile.matchAll(/\b(NODE_OPTIONS|MALLOC_[A-Z_]+)=(?:"([^"]*)"|(\S+))/g)
  const set = new Map([...found].map(([, name = '', quoted, bare = '']) => [name, quoted ?? bare]))
  const values = parse(readFileSync(join(root, 'charts/agents/values.yaml'), 'utf8')) as Values
  const limit = Number(/^(\d+)Mi$/.exec(values.resources.limits.memory)?.[1])
  const options = `${set.get('NODE_OPTIONS') ?? ''} --max-heap-size=${limit / 2}`
  return { ...Object.fromEntries(set), NODE_OPTIONS: options.trim() }
}

interface Values {
  readonly resources: { readonly limits: { readonly memory: string } }
}
