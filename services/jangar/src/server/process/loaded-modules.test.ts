import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

/** Prints the files and built-in modules that a process loads when it imports the controllers and writes a log line. */
const list = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load: (url, context, next) => {
      loaded.push(url)
      return next(url, context)
    },
  })
  const [controllers, log] = process.argv.slice(1)
  await import(controllers)
  const { createLogger } = await import(log)
  createLogger({ sink: { write: () => undefined } }).info('started', { namespaces: ['agents'] })
  console.log(JSON.stringify([...loaded, ...process.moduleLoadList]))
`

// Generous: a limit for hangs, not for performance.
const whole = { timeout: 300_000 }

describe('the controllers', () => {
  test('do not load large modules that few of them use', whole, async () => {
    const loaded = await loadedByControllers()
    const found = (part: string) => loaded.filter((name) => name.includes(part))
    for (const part of large) expect(found(part), part).toEqual([])
    // Proves that the list is not empty.
    expect(found('agent-run-controller.ts')).toHaveLength(1)
    expect(found('NativeModule http')).not.toEqual([])
  })
})

/** Each of them occupies megabytes as long as the process runs. */
const large = [
  '/node_modules/kysely/',
  '/node_modules/pg/',
  '/node_modules/yaml/',
  '/@connectrpc/',
  'NativeModule internal/deps/undici/undici',
  'NativeModule child_process',
]

async function loadedByControllers(): Promise<string[]> {
  const controllers = join(import.meta.dirname, 'run-controllers.ts')
  const log = '@agents/log'
  const args = ['--input-type=module', '--eval', list, controllers, log]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
    maxBuffer: 16 * 1024 * 1024,
  })
  return JSON.parse(stdout)
}
