import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * `npm test`: lint, types, generated files, then the quick tests. `npm run test:long` runs the suites that have a vitest config of
 * their own below tests/, one after the other; with names, only those. The last line is `N passed, N failed`, whatever happens.
 */

interface Tally {
  passed: number
  failed: number
}

const bin = (name: string) => join(import.meta.dirname, '..', 'node_modules', '.bin', name)

const checks: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['lint', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ['types', [bin('tsc'), '--noEmit']],
  ['generated files', [process.execPath, 'scripts/generate.ts', '--check']],
]

const { values, positionals } = parseArgs({
  options: { long: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const total: Tally = { passed: 0, failed: 0 }
if (values.long) {
  for (const config of longSuites(positionals)) add(await runSuite(config))
} else {
  for (const [name, command] of checks) add(await runCheck(name, command))
  add(await runSuite('vitest.config.ts'))
}

console.log(`${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)

function longSuites(names: readonly string[]): string[] {
  const configs = globSync('tests/*/vitest.config.ts').sort()
  const wanted = names.map((name) => join('tests', name, 'vitest.config.ts'))
  const unknown = wanted.filter((config) => !configs.includes(config))
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}`)
  return wanted.length > 0 ? wanted : configs
}

function add({ passed, failed }: Tally): void {
  total.passed += passed
  total.failed += failed
}

async function runCheck(name: string, command: readonly string[]): Promise<Tally> {
  const code = await run(command)
  console.log(`${name}: ${code === 0 ? 'ok' : 'FAILED'}`)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

async function runSuite(config: string): Promise<Tally> {
  console.log(`suite ${config}`)
  const directory = await mkdtemp(join(tmpdir(), 'agents-test-'))
  const report = join(directory, 'report.json')
  try {
    const code = await run([
      bin('vitest'),
      'run',
      '--root',
      '.',
      '--config',
      config,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ])
    return await readTally(report, code)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A run that failed counts at least one failure, also when it died before it wrote its report. */
async function readTally(report: string, code: number): Promise<Tally> {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(await readFile(report, 'utf8'))
    const failed = Number(numFailedTests)
    return { passed: Number(numPassedTests), failed: code === 0 ? failed : Math.max(failed, 1) }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

function run([file = '', ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    child.on('error', (error) => {
      console.error(`${error.message}: run "npm ci" first`)
      resolve(1)
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
}
