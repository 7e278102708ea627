import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { redact } from '@agents/log'
import { GitError } from '../git-error.ts'
import { classifyFailure } from './classify-failure.ts'
import { type FinishedProcess, type ProcessOptions, runProcess } from './run-process.ts'

export type GitRunOptions = Omit<ProcessOptions, 'env' | 'cwd'> & {
  /** Environment for this call alone, such as that of a connection. */
  readonly env?: Readonly<Record<string, string>>
}

/** The `git` program bound to one bare repository and one environment. */
export interface Git {
  /** Runs to the end; an exit code other than zero is thrown as a `GitError`. */
  run(args: readonly string[], options: GitRunOptions): Promise<FinishedProcess>
  /** Runs to the end; the caller checks the exit code. */
  attempt(args: readonly string[], options: GitRunOptions): Promise<FinishedProcess>
  /** Starts a process that stays, such as `cat-file --batch`. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams
}

interface GitOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Removed from error messages, whatever form the program gave them. */
  readonly secrets?: readonly string[]
}

export function createGit({ env, cwd, secrets = [] }: GitOptions): Git {
  const attempt: Git['attempt'] = (args, options) =>
    runProcess('git', args, { ...options, cwd, env: { ...env, ...options.env } })
  return {
    attempt,
    async run(args, options) {
      const finished = await attempt(args, options)
      if (finished.exitCode !== 0) {
        throw failureOf((args[0] === '-c' ? args[2] : args[0]) ?? '', finished, secrets)
      }
      return finished
    },
    start: (args) => spawn('git', args, { cwd, env: { ...env }, detached: true, stdio: 'pipe' }),
  }
}

/** The error for a process that failed. */
export function failureOf(
  command: string,
  { exitCode, stderr }: Pick<FinishedProcess, 'exitCode' | 'stderr'>,
  secrets: readonly string[],
): GitError {
  const words = withoutSecrets(stderr.trim().replace(certificateFiles, ''), secrets).slice(-1000)
  const ending = words === '' ? `exit code ${exitCode}` : words
  return new GitError(classifyFailure(stderr), `git ${command} failed: ${ending}`)
}

/** Names of temporary files, which differ with each attempt and do not help the reader. */
const certificateFiles = / CAfile: .* CRLfile: \S+/g

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 0)
  return redact(known.reduce((left, secret) => left.replaceAll(secret, '***'), text))
}
