import { execFile } from 'node:child_process'
import type { SecretMask } from '../process/secret-mask.ts'
import { type Stop, throwIfStopped } from '../process/stop.ts'
import { RunFailure } from '../run-failure.ts'
import type { Credentials } from './credentials.ts'
import { gitEnvironment, remoteEnvironment } from './git-environment.ts'

export interface GitAnswer {
  readonly code: number
  readonly stdout: string
  /** The end of what git said, secrets masked. */
  readonly said: string
}

export interface Git {
  /** Any exit code is an answer; git missing, or a stop of the run, is a failure. */
  run(args: readonly string[], extraEnv?: Readonly<Record<string, string>>): Promise<GitAnswer>
  /** The same with credentials for the remote, and a limit on its time. */
  talk(url: string, args: readonly string[]): Promise<GitAnswer>
}

export interface GitOptions {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly credentials: Credentials
  readonly mask: SecretMask
  readonly stop: Stop
  readonly timeoutMs: number
}

const MOST_OUTPUT = 4 * 1024 * 1024
const LONGEST_SAID = 600

export function createGit({ folder, env, credentials, mask, stop, timeoutMs }: GitOptions): Git {
  const call = async (
    args: readonly string[],
    childEnv: Record<string, string>,
    timeout: number,
  ): Promise<GitAnswer> => {
    throwIfStopped(stop)
    const ended = await execute(args, { cwd: folder, env: childEnv, timeout, signal: stop.signal })
    throwIfStopped(stop)
    const said = ended.timedOut ? `no answer within ${timeout / 1000} s` : ended.stderr
    return { code: ended.code, stdout: ended.stdout, said: mask(tail(said)) }
  }
  return {
    run: (args, extraEnv = {}) => call(args, { ...gitEnvironment(env), ...extraEnv }, 0),
    talk: (url, args) => call(args, remoteEnvironment(env, url, credentials), timeoutMs),
  }
}

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

interface ExecuteOptions {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly timeout: number
  readonly signal: AbortSignal
}

function execute(args: readonly string[], options: ExecuteOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile('git', [...args], { ...options, maxBuffer: MOST_OUTPUT }, (error, stdout, stderr) => {
      if (error === null) {
        resolve({ code: 0, stdout, stderr, timedOut: false })
      } else if (error.code === 'ENOENT') {
        reject(new RunFailure('CheckoutFailed', 'the image has no git', { cause: error }))
      } else {
        const code = typeof error.code === 'number' ? error.code : 1
        resolve({ code, stdout, stderr, timedOut: error.killed === true })
      }
    })
  })
}

function tail(text: string): string {
  const trimmed = text.trim().replaceAll(/\s*\n\s*/g, '; ')
  return trimmed.length <= LONGEST_SAID ? trimmed : `…${trimmed.slice(-LONGEST_SAID)}`
}
