import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const repository = join(import.meta.dirname, '../../..')
export const agentctlPath = join(repository, 'apps/agentctl/src/main/agentctl.mjs')

interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves when the output contains the text; rejects if the program exits first. */
  waitForOutput(text: string | RegExp): Promise<void>
  readonly finished: Promise<Finished>
}

export interface LocalPlatform {
  readonly stateDir: string
  readonly kubeconfig: string
  /** The `up` process that is currently running. */
  readonly up: () => Started
  /** Runs any other command, which finds the platform by its state folder. */
  agentctl(...args: string[]): Promise<Finished>
  start(args: readonly string[]): Started
  /** Starts `up` again after it has exited. */
  startAgain(...flags: string[]): Promise<void>
  /** Stops the platform and removes all its files. */
  remove(): Promise<void>
}

/** What `agentctl up` prints when the platform is ready. */
export const ready = 'Press Ctrl-C to stop it.'

/** Starts a real `agentctl up` in its own process, with a fresh state folder and a free port. */
export function startPlatform(...flags: string[]): Promise<LocalPlatform> {
  return startPlatformIn({}, ...flags)
}

/** Like `startPlatform`, with additional environment variables. */
export async function startPlatformIn(
  settings: Readonly<Record<string, string>>,
  ...flags: string[]
): Promise<LocalPlatform> {
  const stateDir = await mkdtemp(join(tmpdir(), 'agents-up-'))
  const { start, agentctl } = localCommands(stateDir, settings)
  let up = start(['up', '--secure-port', '0', ...flags])
  await up.waitForOutput(ready)
  return {
    stateDir,
    kubeconfig: join(stateDir, 'kubeconfig'),
    up: () => up,
    ...{ start, agentctl },
    startAgain: async (...more) => {
      up = start(['up', ...more])
      await up.waitForOutput(ready)
    },
    remove: async () => {
      up.child.kill('SIGTERM')
      await up.finished
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Runs commands on the platform whose state is in the folder. */
export function localCommands(
  stateDir: string,
  settings: Readonly<Record<string, string>> = {},
): Pick<LocalPlatform, 'start' | 'agentctl'> {
  const environment = { ...settings, AGENTCTL_STATE_DIR: stateDir }
  const start = (args: readonly string[]): Started =>
    startProgram(process.execPath, [agentctlPath, ...args], environment)
  return { start, agentctl: (...args) => ended(start(args), args) }
}

/** Less than the time of a test, so that a command that hangs shows what it printed. */
const longestMs = 300_000

async function ended(program: Started, args: readonly string[]): Promise<Finished> {
  let isTooLate = false
  const timer = setTimeout(() => {
    isTooLate = true
    program.child.kill('SIGKILL')
  }, longestMs)
  const result = await program.finished
  clearTimeout(timer)
  if (!isTooLate) return result
  const output = `${program.stdout().slice(-5000)}\n${program.stderr().slice(-5000)}`
  throw new Error(`agentctl ${args.join(' ')} has not ended after 5 minutes:\n${output}`)
}

/** A minimal environment, so that no kubeconfig of the machine is used. */
export function startProgram(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd: string = repository,
): Started {
  const bin = join(repository, 'node_modules/.bin')
  const child = spawn(file, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
      HOME: tmpdir(),
      XDG_CACHE_HOME: join(tmpdir(), 'agents-cache'),
      ...environment,
    },
  })
  const outputs = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      outputs[name] += text
      for (const listener of listeners) listener()
    })
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) =>
      resolve({ code: code ?? (signal === null ? -1 : 128), ...outputs }),
    )
  })
  const holds = (text: string | RegExp): boolean =>
    typeof text === 'string'
      ? outputs.stdout.includes(text) || outputs.stderr.includes(text)
      : text.test(outputs.stdout) || text.test(outputs.stderr)
  return {
    child,
    stdout: () => outputs.stdout,
    stderr: () => outputs.stderr,
    finished,
    waitForOutput: async (text) => {
      const heard = new Promise<boolean>((resolve) => {
        const listener = (): void => {
          if (!holds(text)) return
          listeners.delete(listener)
          resolve(true)
        }
        listeners.add(listener)
        listener()
      })
      const over = finished.then(() => holds(text))
      if (await Promise.race([heard, over])) return
      throw new Error(`it ended and never said ${text}:\n${outputs.stdout}\n${outputs.stderr}`)
    },
  }
}
