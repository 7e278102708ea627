import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { compileCacheVariable } from '../testbed/compile-cache.ts'
import { freePort } from '../testbed/free-port.ts'

const program = join(import.meta.dirname, '../../../services/gittarget/src/main/operator.ts')

/** The shipped operator in a child process that can be killed. */
export class OperatorChild {
  readonly #child: ChildProcess
  readonly #port: number
  /** Everything that it wrote to stdout and stderr. */
  log = ''

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.#port = port
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.log += chunk.toString('utf8')
      })
    }
  }

  static async start(
    kubeconfig: string,
    stateDir: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<OperatorChild> {
    const port = await freePort()
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin',
        ...compileCacheVariable(),
        KUBECONFIG: kubeconfig,
        GITTARGET_STATE_DIR: stateDir,
        GITTARGET_ALLOW_FILE_REPOSITORIES: 'true',
        GITTARGET_LEADER_ELECTION_ENABLED: 'false',
        GITTARGET_HTTP_HOST: '127.0.0.1',
        GITTARGET_PORT: String(port),
        GITTARGET_LOG_LEVEL: 'debug',
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return new OperatorChild(child, port)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** A metric of the target in the namespace; undefined while the operator does not answer or does not report it. */
  async metric(name: string, namespace: string): Promise<number | undefined> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/metrics`).catch(() => undefined)
    const line = new RegExp(`^${name}\\{[^}]*namespace="${namespace}"[^}]*\\} (\\S+)$`, 'm')
    const [, value] = line.exec((await answer?.text()) ?? '') ?? []
    return value === undefined ? undefined : Number(value)
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null) return exitCode
    const ended = new Promise<number | null>((resolve) => this.#child.once('exit', resolve))
    this.#child.kill(signal)
    return ended
  }
}
