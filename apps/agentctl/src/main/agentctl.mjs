#!/usr/bin/env node
// Plain JavaScript of 2023: it also has to run on Node versions that are too old for the program.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { constants, homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const major = Number(process.versions.node.split('.')[0])

if (major >= 24) {
  // Stripping types and compiling takes most of the time of a start, so the results are cached: in a folder of the
  // user, since whoever can write there decides what runs. Without a cache the program starts as usual.
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  nodeModule.enableCompileCache(join(caches, 'agents', 'compiled'))
  await import('./agentctl.ts')
} else {
  // npm installs the optional Node package inside of this package, or beside it.
  const root = join(here, '../../../..')
  const node = [join(root, 'node_modules/.bin/node'), join(root, '../.bin/node')].find(existsSync)
  if (node !== undefined) runWith(node)
  else {
    process.stderr.write(
      [
        `agentctl needs Node 24 or later, and this is Node ${process.versions.node}.`,
        'npm installs a matching Node together with agentctl: install it again, without --omit=optional.',
        '',
      ].join('\n'),
    )
    process.exitCode = 1
  }
}

/**
 * Runs the program with another Node and forwards signals to it. A terminal sends Ctrl-C to both processes, and the
 * second Ctrl-C ends the program without waiting: so SIGINT is forwarded as SIGUSR2, which the program treats the
 * same but counts apart.
 */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  const forwarded = { SIGINT: 'SIGUSR2', SIGTERM: 'SIGTERM', SIGHUP: 'SIGHUP' }
  for (const [signal, other] of Object.entries(forwarded)) {
    process.on(signal, () => {
      if (process.platform !== 'win32' || signal === other) child.kill(other)
    })
  }
  child.on('error', (error) => {
    process.stderr.write(`${node} cannot be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    const original = signal === forwarded.SIGINT ? 'SIGINT' : signal
    process.exitCode = code ?? 128 + (constants.signals[original] ?? 0)
  })
}
