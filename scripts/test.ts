import { globSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Duration, durationLine, durationLines } from './test/durations.ts'
import { failureLines } from './test/failure.ts'
import { runLongSuites, type SuiteResult } from './test/long-suites.ts'
import { namedTests } from './test/named-tests.ts'
import { recordFull } from './test/results/full-record.ts'
import { KeptResults, keptResultsFolder } from './test/results/kept-results.ts'
import { UnstableTests } from './test/results/unstable-tests.ts'
import { bin, runCheck, runTests, stopOnSignals } from './test/run-tests.ts'
import { recordDurations, suiteTable } from './test/suite-table.ts'
import { type Suite, suites, suitesNamed, suitesOf, type Tier } from './test/suites.ts'
import type { Tally } from './test/tally-reporter.ts'

/**
 * `npm test` runs lint, types, generated files and the quick tests; with paths, only the tests that they name. `npm
 * run test:long` runs the long suites of the gate in several lanes, `npm run test:full` all long tests; with names,
 * only those suites or rooms. A suite whose result is known is not run again, unless `--no-cache` is given.
 * `--repeat-failed` runs failed files once more on an otherwise idle machine; `--record` writes the durations to
 * scripts/test/durations.json. `npm run test:changed` runs the quick tests that import a file that differs from main.
 * It ends with the durations and a summary of all failures; the last line is always `N passed, N failed`.
 */

const checks: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['lint', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ['types', [bin('tsc'), '--noEmit']],
  ['types of the console', [bin('tsc'), '--noEmit', '-p', 'apps/console']],
  ['generated files', [process.execPath, 'scripts/generate.ts', '--check']],
]

const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    'repeat-failed': { type: 'boolean', default: false },
    'no-cache': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const tier: Tier = values.full ? 'full' : 'gate'
const tallies: Tally[] = []
const durations: Duration[] = []
const lastLines: string[] = []

stopOnSignals()
if (values.long || values.full) await runLong(longSuites(positionals))
else if (values.changed) await runChanged()
else if (positionals.length > 0) await runNamed(positionals)
else await runQuick()

const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
if (durations.length > 1) for (const line of durationLines(durations)) console.log(line)
for (const line of lastLines) console.log(line)
for (const line of failureLines(tallies.flatMap(({ failures }) => failures))) console.log(line)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

/** The checks take turns with each other, and run beside the tests. */
async function runQuick(): Promise<void> {
  const tests = timed('quick', () =>
    runTests({ title: 'quick', projects: ['quick'], stdio: 'inherit' }),
  )
  for (const [name, command] of checks) await timed(name, () => runCheck(name, command))
  await tests
}

async function runNamed(paths: readonly string[]): Promise<void> {
  const projects = projectsOf(paths)
  const title = paths.join(' ')
  await timed(title, () => runTests({ title, projects, args: paths, stdio: 'inherit' }))
}

async function runChanged(): Promise<void> {
  const title = 'quick tests of what changed'
  const args = ['--changed', 'main', '--passWithNoTests']
  await timed(title, () => runTests({ title, projects: ['quick'], args, stdio: 'inherit' }))
}

async function runLong(selected: readonly Suite[]): Promise<void> {
  const folder = keptResultsFolder(process.env)
  const results = values['no-cache'] ? undefined : new KeptResults(folder)
  const repeatFailed = values['repeat-failed']
  const ended = await runLongSuites(selected, { root, tier, results, repeatFailed })
  tallies.push(...ended.map(({ tally }) => tally))
  if (values.record) recordDurations(tier, ended)
  lastLines.push(...suiteTable(tier, ended))
  const isWhole = positionals.length === 0 && results === undefined
  if (tier === 'full' && isWhole && allPassed(ended)) recordFull(root, folder)
  lastLines.push(...(await unstableLines(ended, folder)))
}

function allPassed(ended: readonly SuiteResult[]): boolean {
  return ended.every(({ tally, unstable }) => tally.failed === 0 && unstable.length === 0)
}

async function unstableLines(ended: readonly SuiteResult[], folder: string): Promise<string[]> {
  const unstable = ended.flatMap((result) => result.unstable)
  const known = new UnstableTests(join(folder, 'unstable.json'), root)
  await known.add(unstable)
  return [
    ...failureLines(unstable, 'failed, and passed when repeated:'),
    ...(await known.lines(unstable)),
  ]
}

async function timed(name: string, run: () => Promise<Tally>): Promise<void> {
  const started = performance.now()
  tallies.push(await run())
  const duration = { name, seconds: (performance.now() - started) / 1000 }
  durations.push(duration)
  console.log(`took ${durationLine(duration).trim()}`)
}

function longSuites(names: readonly string[]): readonly Suite[] {
  const unknown = names.filter((name) => suitesNamed(name).length === 0)
  if (unknown.length > 0) endWithUsage(`unknown suite or room: ${unknown.join(', ')}`)
  const all = suitesOf(tier)
  if (names.length === 0) return all
  const named = new Set(names.flatMap(suitesNamed))
  const selected = all.filter((suite) => named.has(suite))
  if (selected.length === 0) endWithUsage(`only in full: npm run test:full -- ${names.join(' ')}`)
  return selected
}

function projectsOf(paths: readonly string[]): readonly string[] {
  const files = globSync('{packages,services,apps,scripts,tests}/**/*.{test,check,full}.ts', {
    exclude: (path) => path.endsWith('node_modules'),
  })
  const { projects, unknown } = namedTests(paths, files, suites)
  if (unknown.length > 0) endWithUsage(`no test file matches ${unknown.join(', ')}`)
  return projects
}

function endWithUsage(message: string): never {
  console.error(message)
  process.exit(64)
}
