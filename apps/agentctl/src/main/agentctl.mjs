#!/usr/bin/env node
// Plain JavaScript of 2023 on purpose: it has to run on the very Node versions that it must not go on with.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { constants, homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const major = Number(process.versions.node.split('.')[0])

if (major >= 24) {
  // Stripping types and compiling is most of what a start costs, so the results are kept: in a folder of the user's own,
  // since whoever can write there decides what runs. Where there is none the program starts as ever.
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  nodeModule.enableCompileCache(join(caches, 'agents', 'compiled'))
  await import('./agentctl.ts')
} else {
  const pinned = join(here, '../../../../node_modules/.bin/node')
  if (existsSync(pinned)) handOver(pinned)
  else {
    process.stderr.write(
      [
        `agentctl runs on Node 26, and this is Node ${process.versions.node}.`,
        'npm installs the right one beside it: run "npm ci" in the checkout, without --omit=optional.',
        '',
      ].join('\n'),
    )
    process.exitCode = 1
  }
}

/**
 * What is sent to this process alone is passed on. A terminal sends Ctrl-C to both, and who gets it twice does not wait any
 * more: so it is passed on as another signal, which the other takes for the same.
 */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  const passedOn = { SIGINT: 'SIGUSR2', SIGTERM: 'SIGTERM', SIGHUP: 'SIGHUP' }
  for (const [signal, other] of Object.entries(passedOn)) {
    process.on(signal, () => {
      if (process.platform !== 'win32' || signal === other) child.kill(other)
    })
  }
  child.on('error', (error) => {
    process.stderr.write(`${node} cannot be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    const meant = signal === passedOn.SIGINT ? 'SIGINT' : signal
    process.exitCode = code ?? 128 + (constants.signals[meant] ?? 0)
  })
}
