import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type Duration, durationLine, durationLines } from './test/durations.ts'
import { type Failure, failureLines } from './test/failure.ts'
import { runInLanes } from './test/lanes.ts'
import { namedTests } from './test/named-tests.ts'
import { afterRepeat, filesToRepeat } from './test/repeat-failed.ts'
import { bin, runCheck, runTests } from './test/run-tests.ts'
import { type Suite, suites, suitesNamed, type Tier } from './test/suites.ts'
import type { Tally } from './test/tally-reporter.ts'

/**
 * `npm test` runs lint, types, generated files and the quick tests; with paths, only the tests that they name. `npm
 * run test:long` runs the long suites of the gate in several lanes, `npm run test:full` all long tests; with names, only
 * those suites or rooms; with `--repeat-failed`,
 * failed files once more on an otherwise idle machine. `npm run test:changed` runs the quick tests that import a file
 * that differs from main. It ends with the durations and a summary of all failures; the last line is always `N passed,
 * N failed`.
 */

const checks: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['lint', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ['types', [bin('tsc'), '--noEmit']],
  ['types of the console', [bin('tsc'), '--noEmit', '-p', 'apps/console']],
  ['generated files', [process.execPath, 'scripts/generate.ts', '--check']],
]

const { values, positionals } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    'repeat-failed': { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const tier: Tier = values.full ? 'full' : 'gate'
const tallies: Tally[] = []
const durations: Duration[] = []
const unstable: Failure[] = []
if (values.long || values.full) await runLong(longSuites(positionals))
else if (values.changed) await runChanged()
else if (positionals.length > 0) await runNamed(positionals)
else await runQuick()

const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
if (durations.length > 1) for (const line of durationLines(durations)) console.log(line)
for (const line of failureLines(unstable, 'failed, and passed when repeated:')) console.log(line)
for (const line of failureLines(tallies.flatMap(({ failures }) => failures))) console.log(line)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

async function runQuick(): Promise<void> {
  for (const [name, command] of checks) await timed(name, () => runCheck(name, command))
  await timed('quick', () => runTests({ title: 'quick', projects: ['quick'], stdio: 'inherit' }))
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
  // Suites wait for a fifth of their time: one more than there are cores keeps the cores busy.
  const lanes = Math.min(3, availableParallelism() + 1, selected.length)
  const stdio = lanes > 1 ? 'pipe' : 'inherit'
  await runInLanes(selected, lanes, ({ name }) =>
    timed(name, () => runTests({ title: name, projects: [name], tier, stdio })),
  )
  if (!values['repeat-failed']) return
  for (const [index, { name }] of durations.slice().entries()) await repeatFailed(index, name)
}

/** Runs the failed files of a suite again, with nothing beside them. */
async function repeatFailed(index: number, suite: string): Promise<void> {
  const first = tallies[index]
  const files = first === undefined ? [] : filesToRepeat(first)
  if (first === undefined || files.length === 0) return
  const title = `${suite}, repeated`
  const second = await runTests({ title, projects: [suite], args: files, tier, stdio: 'inherit' })
  const repeated = afterRepeat(first, second)
  tallies[index] = repeated.tally
  unstable.push(...repeated.unstable)
}

async function timed(name: string, run: () => Promise<Tally>): Promise<void> {
  const started = performance.now()
  tallies.push(await run())
  const duration = { name, seconds: (performance.now() - started) / 1000 }
  durations.push(duration)
  // The lines at the end are missing from a run that was stopped because it took too long.
  console.log(`took ${durationLine(duration).trim()}`)
}

function longSuites(names: readonly string[]): readonly Suite[] {
  const unknown = names.filter((name) => suitesNamed(name).length === 0)
  if (unknown.length > 0) endWithUsage(`unknown suite or room: ${unknown.join(', ')}`)
  if (names.length === 0) return suites
  const selected = new Set(names.flatMap(suitesNamed))
  return suites.filter((suite) => selected.has(suite))
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
