import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { TerminalSize } from '@agents/kube'

const scriptProgram = '/usr/bin/script'

/** Descriptor on which a command with a terminal reports the path of that terminal. */
export const terminalDescriptor = 3

/** Whether commands can have a terminal: `script` of util-linux creates it. */
export function canCreateTerminals(): boolean {
  return process.platform === 'linux' && existsSync(scriptProgram)
}

/**
 * Runs a command in a terminal of its own. `script` passes its input and output on, and returns its exit code.
 * `environment` is that of the command: a shell of its choice must not run the command line.
 */
export function inTerminal(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): { command: string[]; environment: Record<string, string> } {
  const { SHELL: shell } = environment
  const line = [
    `tty >&${terminalDescriptor}`,
    shell === undefined ? 'unset SHELL' : `export SHELL=${quoted(shell)}`,
    `exec ${command.map(quoted).join(' ')} ${terminalDescriptor}>&-`,
  ].join('; ')
  return {
    command: [scriptProgram, '--quiet', '--return', '--flush', '--command', line, '/dev/null'],
    environment: { TERM: 'xterm', ...environment, SHELL: '/bin/sh' },
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Applies sizes to the terminal whose path arrives on the descriptor. The last size before that is kept. */
export function resizer(descriptor: Readable): (size: TerminalSize) => void {
  let path: string | undefined
  let wanted: TerminalSize | undefined
  let isBusy = false
  const apply = (): void => {
    if (path === undefined || wanted === undefined || isBusy) return
    const { width, height } = wanted
    wanted = undefined
    isBusy = true
    const args = ['-F', path, 'rows', String(height), 'cols', String(width)]
    // One at a time: sizes that arrive meanwhile replace each other.
    execFile('/usr/bin/stty', args, { env: {} }, () => {
      isBusy = false
      apply()
    })
  }
  descriptor.once('data', (line: Buffer) => {
    const name = line.toString('latin1').trim()
    if (/^\/dev\/pts\/\d+$/.test(name)) path = name
    apply()
  })
  return (size) => {
    wanted = size
    apply()
  }
}
