import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../..')
const program = join(root, 'services/gittarget/src/main/operator.ts')

export interface OperatorOptions {
  readonly kubeconfig: string
  readonly stateDir: string
  /** Where compiled programs are kept. */
  readonly compiled: string
  /** Where programs are searched. */
  readonly path?: string
}

/** The process that is shipped, by itself, so that its memory is its own, and as in a pod of the chart. */
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
      // Nobody could wait for what it does any more.
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

  /** The peak is that of what comes now. */
  forgetPeak(): void {
    this.#peak = 0
  }

  /** Seconds of processor time: of its own, and of the processes that it started and that have ended, with all below them. */
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

/** What image and chart say about memory. In a pod V8 takes half of its limit; here nobody limits it, so it has to be told. */
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
