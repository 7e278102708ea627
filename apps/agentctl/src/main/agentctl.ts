import { flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import manifest from '../../package.json' with { type: 'json' }
import { exitCode } from '../cli/exit-code.ts'
import { runProgram } from '../cli/run-program.ts'
import { createStyle } from '../cli/style.ts'
import type { Output } from '../cli/world.ts'
import { commandGroups } from '../commands/command-groups.ts'
import { completeCommand } from '../completion/complete-command.ts'

const stop = new AbortController()
const asked = { here: 0, launcher: 0 }
const askedTo = (by: keyof typeof asked) => () => {
  asked[by] += 1
  // Somebody who asks twice means it.
  if (asked[by] > 1) process.exit(exitCode.interrupted)
  stop.abort(new Error('stopped on request'))
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, askedTo('here'))
// Ctrl-C as the launcher passes it on; it may have come here by itself too.
if (process.platform !== 'win32') process.on('SIGUSR2', askedTo('launcher'))

const args = process.argv.slice(2)
const world = {
  stdout: outputOf(process.stdout),
  stderr: outputOf(process.stderr),
  readStdin: () => text(process.stdin),
  environment: process.env,
  workingDirectory: process.cwd(),
  home: homedir(),
  stop: stop.signal,
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  version: manifest.version,
  checkout: join(import.meta.dirname, '../../../..'),
  exit: (code: number) => process.exit(code),
}

const code =
  args[0] === '__complete'
    ? await completeCommand(args.slice(1), commandGroups, world)
    : await runProgram(args, commandGroups, world)
// What a stream still holds is written before the end, unless the process is cut short here.
process.exitCode = code
flushCompileCache()

function outputOf(stream: NodeJS.WriteStream): Output {
  // A reader that has seen enough, such as head, is no fault.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCode.done : exitCode.internal)
  })
  const isTerminal = stream.isTTY === true
  return {
    write: (line) => void stream.write(line),
    pour: (bytes) =>
      stream.write(bytes)
        ? Promise.resolve()
        : new Promise((resolve) => stream.once('drain', resolve)),
    style: createStyle(isTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb'),
    isTerminal,
  }
}
