import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { failureLines } from './test/failure.ts'
import type { Tally } from './test/tally-reporter.ts'

/**
 * `npm test`: lint, types, generated files, then the quick tests. `npm run test:long` runs the suites that have a vitest config of
 * their own below tests/, one after the other; with names, only those. At the end what failed is told once more, and the last line
 * is `N passed, N failed`, whatever happens.
 */

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
const tallies: Tally[] = []
if (values.long) {
  for (const config of longSuites(positionals)) tallies.push(await runSuite(config))
} else {
  for (const [name, command] of checks) tallies.push(await runCheck(name, command))
  tallies.push(await runSuite('vitest.config.ts'))
}

const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
for (const line of failureLines(tallies.flatMap(({ failures }) => failures))) console.log(line)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function longSuites(names: readonly string[]): string[] {
  const configs = globSync('tests/*/vitest.config.ts').sort()
  const wanted = names.map((name) => join('tests', name, 'vitest.config.ts'))
  const unknown = wanted.filter((config) => !configs.includes(config))
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}`)
  return wanted.length > 0 ? wanted : configs
}

async function runCheck(name: string, command: readonly string[]): Promise<Tally> {
  const { code, said } = await run(command, 'pipe')
  console.log(`${name}: ${code === 0 ? 'ok' : 'FAILED'}`)
  if (code === 0) return { passed: 1, failed: 0, failures: [] }
  return { passed: 0, failed: 1, failures: [{ where: name, why: said }] }
}

async function runSuite(config: string): Promise<Tally> {
  console.log(`suite ${config}`)
  const directory = await mkdtemp(join(tmpdir(), 'agents-test-'))
  const report = join(directory, 'report.json')
  try {
    const vitest = [bin('vitest'), 'run', '--root', '.', '--config', config]
    const reporters = ['default', './scripts/test/tally-reporter.ts'].map(
      (it) => `--reporter=${it}`,
    )
    const { code } = await run([...vitest, ...reporters, `--outputFile.tally=${report}`], 'inherit')
    return await readTally(report, { config, code })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A run that failed counts at least one failure, also when it died before it wrote its report. */
async function readTally(
  report: string,
  { config, code }: { config: string; code: number },
): Promise<Tally> {
  const died = { where: config, why: `the run ended with code ${code}` }
  try {
    const tally: Tally = JSON.parse(await readFile(report, 'utf8'))
    if (code === 0) return tally
    const failures = tally.failures.length > 0 ? tally.failures : [died]
    return { passed: tally.passed, failed: Math.max(tally.failed, 1), failures }
  } catch {
    return { passed: 0, failed: 1, failures: [died] }
  }
}

/** With `pipe` what the program says is also kept; with `inherit` it may show its progress on a terminal. */
function run(
  [file = '', ...args]: readonly string[],
  output: 'pipe' | 'inherit',
): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    let said = ''
    const child = spawn(file, args, { stdio: ['ignore', output, output] })
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      from?.setEncoding('utf8').on('data', (text: string) => {
        said += text
        to.write(text)
      })
    }
    child.on('error', (error) => {
      console.error(`${error.message}: run "npm ci" first`)
      resolve({ code: 1, said: error.message })
    })
    child.on('close', (code) => resolve({ code: code ?? 1, said }))
  })
}
