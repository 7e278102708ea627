import { spawn } from 'node:child_process'
import { GitError } from '../git-error.ts'

export interface ProcessOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly input?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** More output than this ends the process; without it 64 MiB. */
  readonly maxOutputBytes?: number
}

export interface FinishedProcess {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: string
}

const keptStderrCharacters = 16 * 1024

/**
 * Runs a program to its end, in a process group of its own: what it started ends with it when its time is up. An exit
 * code other than zero is a result; not being able to run it, running out of time and being aborted are thrown.
 */
export function runProcess(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<FinishedProcess> {
  const { env, cwd, timeoutMs, signal, input, maxOutputBytes = 64 * 1024 * 1024 } = options
  const what = describe(file, args)
  if (signal?.aborted) return Promise.reject(new GitError('aborted', `${what} was not started`))
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env: { ...env }, detached: true, stdio: 'pipe' })
    let ending: GitError | undefined
    const end = (error: GitError): void => {
      ending ??= error
      killGroup(child.pid)
    }
    const timer = setTimeout(
      () => end(new GitError('timeout', `${what} took longer than ${timeoutMs} ms`)),
      timeoutMs,
    )
    const onAbort = (): void => end(new GitError('aborted', `${what} was aborted`))
    signal?.addEventListener('abort', onAbort, { once: true })

    const stdout: Buffer[] = []
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxOutputBytes) end(new GitError('failed', `the output of ${what} is too large`))
      else stdout.push(chunk)
    })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-keptStderrCharacters)
    })
    feed(child.stdin, input).catch((cause: unknown) =>
      end(new GitError('failed', `the input of ${what} could not be produced`, { cause })),
    )
    child.once('error', (cause) => {
      ending ??= new GitError('local', `cannot start ${what}`, { cause })
    })
    child.once('close', (exitCode) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      if (ending !== undefined) reject(ending)
      else resolve({ exitCode: exitCode ?? 1, stdout: Buffer.concat(stdout), stderr })
    })
  })
}

/** Kills a detached process and everything that it started. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
    return
  }
}

async function feed(
  stdin: NodeJS.WritableStream,
  input: ProcessOptions['input'] = [],
): Promise<void> {
  let gone = false
  // A program that ends early closes its input; its exit code shows why.
  stdin.on('error', () => {
    gone = true
  })
  for await (const chunk of input) {
    if (gone) return
    if (!stdin.write(chunk)) await drained(stdin)
  }
  stdin.end()
}

function drained(stdin: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stdin.off('drain', done)
      stdin.off('close', done)
      resolve()
    }
    stdin.on('drain', done)
    stdin.on('close', done)
  })
}

/** `git push`, not its arguments: they name the user's repository and files. */
function describe(file: string, args: readonly string[]): string {
  const name = file.slice(file.lastIndexOf('/') + 1)
  const command = args[0] === '-c' ? args[2] : args[0]
  return name === 'git' ? `git ${command ?? ''}` : name
}
