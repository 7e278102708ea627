import { flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join, sep } from 'node:path'
import { text } from 'node:stream/consumers'
import manifest from '../../package.json' with { type: 'json' }
import type { CommandContext, Output } from '../cli/command-context.ts'
import { exitCode } from '../cli/exit-code.ts'
import { runProgram } from '../cli/run-program.ts'
import { createStyle } from '../cli/style.ts'
import { systemTerminal } from '../cli/system-terminal.ts'
import { renderText, terminalFilter } from '../cli/terminal-text.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { commandGroups } from '../commands/command-groups.ts'
import { completeCommand } from '../completion/complete-command.ts'

const stop = new AbortController()
/** Whether the command has to be stopped in order, even if nobody reads its output any more. */
let stopsInOrder = false

function requestStop(): void {
  stop.abort(new Error('stopped on request'))
}

function onCtrlC(): () => void {
  let received = 0
  return () => {
    received += 1
    // A second Ctrl-C ends the process without waiting.
    if (received > 1) process.exit(exitCode.interrupted)
    requestStop()
  }
}

process.on('SIGINT', onCtrlC())
// The launcher forwards Ctrl-C as SIGUSR2, since a terminal sends SIGINT to both processes.
if (process.platform !== 'win32') process.on('SIGUSR2', onCtrlC())
// One stop arrives several times: from the terminal or a service manager, from the shell, and from the launcher.
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, requestStop)

const args = process.argv.slice(2)
const root = join(import.meta.dirname, '../../../..')
const installation = import.meta.dirname.split(sep).includes('node_modules')
  ? 'package'
  : 'checkout'
const context: CommandContext = {
  stdout: outputOf(process.stdout),
  stderr: outputOf(process.stderr),
  readStdin: () => text(process.stdin),
  terminal: systemTerminal(process),
  environment: process.env,
  workingDirectory: process.cwd(),
  home: homedir(),
  stop: stop.signal,
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  version: manifest.version,
  installation,
  root,
  defaultStateDir:
    installation === 'checkout' ? join(root, '.state') : join(stateHome(), 'agentctl'),
  exit: (code: number) => process.exit(code),
  stopInOrder: () => {
    stopsInOrder = true
  },
}

const code =
  args[0] === '__complete'
    ? await completeCommand(args.slice(1), commandGroups, context)
    : await runProgram(args, { groups: commandGroups, globalOptions: clusterOptions }, context)
// process.exit would drop what the streams still hold.
process.exitCode = code
flushCompileCache()

/** As the XDG base directory specification has it. */
function stateHome(): string {
  return process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
}

function outputOf(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (stopsInOrder) return requestStop()
    // A reader that closes the pipe early, such as head, is not an error.
    process.exit(error.code === 'EPIPE' ? exitCode.done : exitCode.internal)
  })
  const isTerminal = stream.isTTY === true
  const filter = terminalFilter()
  return {
    write: (line) => void stream.write(renderText(line)),
    writeDocument: (document) => void stream.write(document),
    pour: (bytes) =>
      stream.write(isTerminal ? filter.write(bytes) : bytes)
        ? Promise.resolve()
        : new Promise((resolve) => {
            stream.once('drain', resolve)
            // Nothing is read any more, so there is nothing to wait for.
            stream.once('error', () => resolve())
          }),
    style: createStyle(isTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb'),
    isTerminal,
  }
}
