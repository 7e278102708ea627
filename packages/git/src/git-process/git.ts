import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { redact } from '@agents/log'
import { classifyFailure } from './classify-failure.ts'
import { GitError } from './git-error.ts'
import { type FinishedProcess, type ProcessOptions, runProcess } from './run-process.ts'

export type GitRunOptions = Omit<ProcessOptions, 'env' | 'cwd'> & {
  /** Environment for this call alone, such as that of a connection. */
  readonly env?: Readonly<Record<string, string>>
}

/** The `git` program bound to one bare repository and one environment. */
export interface Git {
  /** Runs to the end; an exit code other than zero is thrown as a `GitError`. */
  run(args: readonly string[], options: GitRunOptions): Promise<FinishedProcess>
  /** Runs to the end; the caller looks at the exit code. */
  attempt(args: readonly string[], options: GitRunOptions): Promise<FinishedProcess>
  /** Starts a process that stays, such as `cat-file --batch`. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams
}

export interface GitOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Removed from error messages, whatever form the program gave them. */
  readonly secrets?: readonly string[]
}

export const createGit = ({ env, cwd, secrets = [] }: GitOptions): Git => {
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

/** The error that a process which ended badly stands for. */
export const failureOf = (
  command: string,
  { exitCode, stderr }: Pick<FinishedProcess, 'exitCode' | 'stderr'>,
  secrets: readonly string[],
): GitError => {
  const words = withoutSecrets(stderr.trim().replace(CA_FILES, ''), secrets).slice(-1000)
  const ending = words === '' ? `exit code ${exitCode}` : words
  return new GitError(classifyFailure(stderr), `git ${command} failed: ${ending}`)
}

/** The names of our own files are no news to anybody, and others at each try. */
const CA_FILES = / CAfile: .* CRLfile: \S+/g

export const withoutSecrets = (text: string, secrets: readonly string[]): string => {
  const known = secrets.filter((secret) => secret.length > 0)
  return redact(known.reduce((left, secret) => left.replaceAll(secret, '***'), text))
}
