import { readFile } from 'node:fs/promises'
import { type Clock, systemClock } from '../clock/clock.ts'

/** The access to the machine that loading a configuration needs. */
export interface ConfigEffects {
  /** Rejects with code ENOENT if the file does not exist. */
  readonly readFile: (path: string) => Promise<string>
  readonly runCommand: RunCommand
  readonly clock: Clock
  /** The environment variables that credential plugins inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Resolves with the standard output of a command that succeeded. */
type RunCommand = (
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) => Promise<string>

const commandTimeoutMs = 60_000
const maxOutputBytes = 1024 * 1024

export function systemEffects(environment: ConfigEffects['environment']): ConfigEffects {
  return {
    readFile: (path) => readFile(path, 'utf8'),
    clock: systemClock,
    environment,
    runCommand: (command, args, env) =>
      new Promise((resolve, reject) => {
        // Loaded only for a credential plugin.
        const { execFile } = process.getBuiltinModule('node:child_process')
        const limits = { timeout: commandTimeoutMs, maxBuffer: maxOutputBytes }
        const child = execFile(command, [...args], { env, ...limits }, (error, stdout) => {
          if (error === null) resolve(stdout)
          else reject(error)
        })
        child.stdin?.end()
      }),
  }
}
