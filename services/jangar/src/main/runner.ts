#!/usr/bin/env node
import { chooseFormat } from '@agents/log'
import { createStop } from '../runner/process/stop.ts'
import { runAgent } from '../runner/run-agent.ts'

const stop = createStop()
const hurry = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // A second signal asks for an immediate stop.
    if (stop.reason()?.kind === 'Terminated') hurry.abort()
    stop.request({ kind: 'Terminated', signal })
  })
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    // The reader closed the stream. The run continues, since its reports are files.
  })
}

process.exitCode = await runAgent({
  argv: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  logFormat: chooseFormat('auto', {
    isTerminal: process.stderr.isTTY,
    noColor: process.env.NO_COLOR !== undefined,
  }).format,
  stop,
  hurry: hurry.signal,
  now: () => new Date(),
})
