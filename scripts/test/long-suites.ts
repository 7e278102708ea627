import { availableParallelism } from 'node:os'
import { type Duration, durationLine } from './durations.ts'
import type { Failure } from './failure.ts'
import { runInLanes } from './lanes.ts'
import { afterRepeat, filesToRepeat } from './repeat-failed.ts'
import type { KeptResult, KeptResults } from './results/kept-results.ts'
import { readProjectFiles } from './results/project-files.ts'
import { readMachine, resultKey } from './results/result-key.ts'
import { runTests } from './run-tests.ts'
import type { Suite, Tier } from './suites.ts'
import type { Tally } from './tally-reporter.ts'

interface LongRun {
  readonly root: string
  readonly tier: Tier
  /** Where results are looked up and kept; if undefined, every suite runs. */
  readonly results: KeptResults | undefined
  /** Whether failed files run once more when nothing runs beside them. */
  readonly repeatFailed: boolean
}

/** What a suite's run, or a kept result of an earlier one, has shown. */
export interface SuiteResult {
  readonly suite: Suite
  readonly tally: Tally
  readonly duration: Duration
  /** The earlier run whose result is still valid. */
  readonly kept?: KeptResult
  /** What failed at first and passed when repeated. */
  readonly unstable: readonly Failure[]
}

/** Runs those suites whose result is not known, in lanes. */
export async function runLongSuites(
  suites: readonly Suite[],
  { root, tier, results, repeatFailed }: LongRun,
): Promise<readonly SuiteResult[]> {
  const keys = results === undefined ? new Map<string, string>() : keysOf(suites, { root, tier })
  const known = await knownResults(suites, { keys, results })
  for (const { suite, kept } of known) if (kept !== undefined) console.log(cachedLine(suite, kept))
  const open = suites.filter((suite) => !known.some((result) => result.suite === suite))
  // Suites wait for a fifth of their time: one more than there are cores keeps the cores busy.
  const lanes = Math.min(3, availableParallelism() + 1, open.length)
  const stdio = lanes > 1 ? 'pipe' : 'inherit'
  const done: SuiteResult[] = []
  await runInLanes(open, lanes, async (suite) => {
    const result = await runSuite(suite, { tier, stdio })
    const key = keys.get(suite.name)
    if (results !== undefined && key !== undefined) await keepPassed(result, { key, results })
    done.push(result)
  })
  if (!repeatFailed) return [...known, ...done]
  const repeated: SuiteResult[] = []
  for (const result of done) repeated.push(await afterSecondRun(result, tier))
  return [...known, ...repeated]
}

function keysOf(
  suites: readonly Suite[],
  { root, tier }: { root: string; tier: Tier },
): Map<string, string> {
  const files = readProjectFiles(root)
  const machine = readMachine(process.env)
  return new Map(
    suites.map((suite) => [suite.name, resultKey(suite, { tier, files, machine })] as const),
  )
}

async function knownResults(
  suites: readonly Suite[],
  { keys, results }: { keys: ReadonlyMap<string, string>; results: KeptResults | undefined },
): Promise<SuiteResult[]> {
  const found: SuiteResult[] = []
  for (const suite of suites) {
    const kept = await results?.find(suite.name, keys.get(suite.name) ?? '')
    if (kept === undefined) continue
    const tally = { passed: 0, failed: 0, failures: [] }
    const duration = { name: suite.name, seconds: 0 }
    found.push({ suite, tally, duration, kept, unstable: [] })
  }
  return found
}

function cachedLine({ name }: Suite, { passed, seconds, at }: KeptResult): string {
  const when = `${at.slice(0, 16).replace('T', ' ')} UTC`
  return `suite ${name} (cached): ${passed} passed on ${when} in ${Math.round(seconds)} s`
}

async function runSuite(
  suite: Suite,
  { tier, stdio }: { tier: Tier; stdio: 'pipe' | 'inherit' },
): Promise<SuiteResult> {
  const { name } = suite
  const started = performance.now()
  const tally = await runTests({ title: name, projects: [name], tier, stdio })
  const duration = { name, seconds: (performance.now() - started) / 1000 }
  // The lines at the end are missing from a run that was stopped because it took too long.
  console.log(`took ${durationLine(duration).trim()}`)
  return { suite, tally, duration, unstable: [] }
}

/** A result is only kept if everything passed at the first try. */
async function keepPassed(
  { suite, tally, duration }: SuiteResult,
  { key, results }: { key: string; results: KeptResults },
): Promise<void> {
  if (tally.failed > 0 || tally.passed === 0) return
  const { passed } = tally
  const at = new Date().toISOString()
  await results.keep(key, { suite: suite.name, passed, seconds: duration.seconds, at })
}

/** Runs the failed files of a suite again, with nothing beside them. */
async function afterSecondRun(result: SuiteResult, tier: Tier): Promise<SuiteResult> {
  const { name } = result.suite
  const files = filesToRepeat(result.tally)
  if (files.length === 0) return result
  const title = `${name}, repeated`
  const args = files
  const second = await runTests({ title, projects: [name], args, tier, stdio: 'inherit' })
  return { ...result, ...afterRepeat(result.tally, second) }
}
