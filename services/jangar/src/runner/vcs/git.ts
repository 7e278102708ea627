import { execFile } from 'node:child_process'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { SecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { type Stop, throwIfStopped } from '../process/stop.ts'
import type { Credentials } from './credentials.ts'
import { localEnvironment, remoteEnvironment } from './git-environment.ts'

interface GitResult {
  readonly code: number
  readonly stdout: string
  /** The end of what git wrote to standard error, with secrets masked. */
  readonly errorText: string
}

export interface Git {
  /**
   * Runs git and returns its exit code, whatever it is. Throws if git is not installed or the run is stopped. If the
   * time limit is omitted, there is none.
   */
  run(
    args: readonly string[],
    extraEnv?: Readonly<Record<string, string>>,
    limitMs?: number,
  ): Promise<GitResult>
  /** Runs git with the credentials for the remote and a time limit. */
  talk(url: string, args: readonly string[]): Promise<GitResult>
}

interface GitOptions {
  readonly folder: string
  /** A bare repository, instead of the one found in the folder. */
  readonly gitFolder?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly credentials: Credentials
  readonly mask: SecretMask
  readonly stop: Stop
  readonly timeoutMs: number
  /** Of a file that git writes, in bytes. If omitted, there is no limit. */
  readonly largestFile?: number
}

const mostOutputBytes = 4 * 1024 * 1024
const longestErrorText = 600

export function createGit(options: GitOptions): Git {
  const { folder, gitFolder, env, credentials, mask, stop, timeoutMs, largestFile } = options
  const own = gitFolder === undefined ? {} : { GIT_DIR: gitFolder }
  const call = async (
    args: readonly string[],
    childEnv: Record<string, string>,
    timeout: number,
  ): Promise<GitResult> => {
    throwIfStopped(stop)
    const ended = await execute(args, {
      cwd: folder,
      env: { ...childEnv, ...own },
      timeout,
      signal: stop.signal,
      largestFile,
    })
    throwIfStopped(stop)
    const errorText = ended.timedOut ? `no response within ${timeout / 1000} s` : ended.stderr
    return { code: ended.code, stdout: ended.stdout, errorText: tail(mask(errorText)) }
  }
  return {
    run: (args, extraEnv = {}, limitMs = 0) =>
      call(args, { ...localEnvironment(env), ...extraEnv }, limitMs),
    talk: (url, args) =>
      call(toRemote(url, args), remoteEnvironment(env, url, credentials), timeoutMs),
  }
}

/**
 * A repository on this machine may belong to another user; git's other side then needs `safe.directory` in its own
 * command.
 */
function toRemote(url: string, [verb = '', ...rest]: readonly string[]): readonly string[] {
  if (!url.startsWith('file:')) return [verb, ...rest]
  const service = verb === 'push' ? 'receive-pack' : 'upload-pack'
  return [verb, `--${service}=git -c safe.directory=* ${service}`, ...rest]
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
  readonly largestFile: number | undefined
}

/** Git does not limit what it fetches; the kernel limits the size of files. In blocks of 512 bytes. */
function commandLine(args: readonly string[], largestFile: number | undefined): [string, string[]] {
  if (largestFile === undefined) return ['git', [...args]]
  const blocks = String(Math.floor(largestFile / 512))
  return ['/bin/sh', ['-c', 'ulimit -f "$0" && exec git "$@"', blocks, ...args]]
}

function execute(
  args: readonly string[],
  { largestFile, ...options }: ExecuteOptions,
): Promise<Ended> {
  const [program, words] = commandLine(args, largestFile)
  return new Promise((resolve, reject) => {
    execFile(
      program,
      words,
      { ...options, maxBuffer: mostOutputBytes },
      (error, stdout, stderr) => {
        if (error === null) {
          resolve({ code: 0, stdout, stderr, timedOut: false })
        } else if (error.code === 'ENOENT') {
          reject(
            new RunFailure('CheckoutFailed', 'git is not installed in the image', { cause: error }),
          )
        } else {
          const code = typeof error.code === 'number' ? error.code : 1
          resolve({ code, stdout, stderr, timedOut: error.killed === true })
        }
      },
    )
  })
}

function tail(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const trimmed = lines.filter((line) => line !== '').join('; ')
  return trimmed.length <= longestErrorText ? trimmed : `…${trimmed.slice(-longestErrorText)}`
}
