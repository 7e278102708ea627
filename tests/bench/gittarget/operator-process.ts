import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const program = join(import.meta.dirname, '../../../services/gittarget/src/main/operator.ts')

/** The process that is shipped, by itself, so that its memory is its own. */
export class OperatorProcess {
  readonly #child: ChildProcess
  #peak = 0
  readonly #sampler: NodeJS.Timeout

  constructor(kubeconfig: string, stateDir: string) {
    this.#child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env.PATH,
        KUBECONFIG: kubeconfig,
        GITTARGET_STATE_DIR: stateDir,
        GITTARGET_ALLOW_FILE_REPOSITORIES: 'true',
        GITTARGET_LEADER_ELECTION_ENABLED: 'false',
        GITTARGET_HTTP_HOST: '127.0.0.1',
        GITTARGET_PORT: String(20_000 + (process.pid % 20_000)),
        GITTARGET_LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
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

  /** Seconds of processor time that it has used. */
  cpuSeconds(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')
    return (Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) / 100
  }

  async stop(): Promise<void> {
    clearInterval(this.#sampler)
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    await ended
  }
}
