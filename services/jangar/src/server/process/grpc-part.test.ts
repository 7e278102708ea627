import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Prints how many files of the gRPC library are loaded by importing the given modules. */
const count = `
  import { registerHooks } from 'node:module'
  let loaded = 0
  registerHooks({
    load: (url, context, next) => {
      if (url.includes('@connectrpc')) loaded += 1
      return next(url, context)
    },
  })
  for (const path of process.argv.slice(1)) await import(path)
  console.log(loaded)
`

// Generous: a limit for hangs, not for performance.
const whole = { timeout: 300_000 }

test('a control plane with gRPC disabled does not load the library', whole, async () => {
  const plane = join(import.meta.dirname, 'run-control-plane.ts')
  const server = join(import.meta.dirname, '..', 'grpc', 'create-grpc-server.ts')
  expect(await loadedBy(plane)).toBe(0)
  expect(await loadedBy(plane, server)).toBeGreaterThan(0)
})

async function loadedBy(...paths: readonly string[]): Promise<number> {
  const args = ['--input-type=module', '--eval', count, ...paths]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}
