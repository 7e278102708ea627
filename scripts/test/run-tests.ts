import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopMarked, stopTree } from './process-tree.ts'
import type { Tier } from './suites.ts'
import type { Tally } from './tally-reporter.ts'

/** The program `name` of the installed tools. */
export function bin(name: string): string {
  return join(import.meta.dirname, '..', '..', 'node_modules', '.bin', name)
}

/** A program that counts as one test. */
export async function runCheck(name: string, command: readonly string[]): Promise<Tally> {
  const { code, output } = await run(command, 'pipe')
  process.stdout.write(`${output}${name}: ${code === 0 ? 'ok' : 'FAILED'}\n`)
  if (code === 0) return { passed: 1, failed: 0, failures: [] }
  return { passed: 0, failed: 1, failures: [{ where: name, why: output }] }
}

/** What vitest runs: the projects, and the paths and options that select among their files. */
interface TestRun {
  readonly title: string
  readonly projects: readonly string[]
  readonly args?: readonly string[]
  /** How much of the long suites runs; if omitted, all of what is named. */
  readonly tier?: Tier
  /** `pipe` prints the output when the run has ended, `inherit` as it comes. */
  readonly stdio: 'pipe' | 'inherit'
}

export async function runTests(test: TestRun): Promise<Tally> {
  const { title, projects, args = [], tier = 'full', stdio } = test
  console.log(stdio === 'pipe' ? `suite ${title} started` : `suite ${title}`)
  const directory = await mkdtemp(join(tmpdir(), 'agents-test-'))
  const report = join(directory, 'report.json')
  try {
    const vitest = [bin('vitest'), 'run', '--root', '.', ...args]
    const selected = projects.map((name) => `--project=${name}`)
    const reporters = ['default', './scripts/test/tally-reporter.ts'].map(
      (it) => `--reporter=${it}`,
    )
    const command = [...vitest, ...selected, ...reporters, `--outputFile.tally=${report}`]
    const { code, output } = await run(command, stdio, { TEST_TIER: tier })
    if (stdio === 'pipe') process.stdout.write(`suite ${title}\n${output}`)
    return await readTally(report, { title, code })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Ends what runs, with everything that it has started, when this process is told to end. */
export function stopOnSignals(): void {
  const endings = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
  for (const [signal, number] of Object.entries(endings)) {
    process.once(signal, () => {
      isStopping = true
      void stopRunning().finally(() => process.exit(128 + number))
    })
  }
}

/** What runs, by the entry of the environment that everything inherits which it starts. */
const running = new Map<string, ChildProcess>()
/** What follows a program that was stopped must not begin: nobody would stop it. */
let isStopping = false

async function stopRunning(): Promise<void> {
  const stops = [...running].map(([marker, { pid }]) => pid && stopTree(pid, marker))
  await Promise.all(stops)
}

/** A run that failed counts at least one failure, also when it ended before it wrote its report. */
async function readTally(
  report: string,
  { title, code }: { title: string; code: number },
): Promise<Tally> {
  const ended = { where: title, why: `the run ended with code ${code}` }
  try {
    const tally: Tally = JSON.parse(await readFile(report, 'utf8'))
    if (code === 0) return tally
    const failures = tally.failures.length > 0 ? tally.failures : [ended]
    return { passed: tally.passed, failed: Math.max(tally.failed, 1), failures }
  } catch {
    return { passed: 0, failed: 1, failures: [ended] }
  }
}

/** With `pipe` the program's output is returned; with `inherit` the program may show its progress on a terminal. */
function run(
  [file = '', ...args]: readonly string[],
  stdio: 'pipe' | 'inherit',
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    if (isStopping) return
    let output = ''
    const id = randomUUID()
    const marker = `AGENTS_TEST_RUN=${id}`
    const env = { ...process.env, ...environment, AGENTS_TEST_RUN: id }
    const child = spawn(file, args, { stdio: ['ignore', stdio, stdio], env })
    running.set(marker, child)
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('error', (error) => {
      console.error(`${error.message}: run "npm ci" first`)
      running.delete(marker)
      resolve({ code: 1, output: error.message })
    })
    // A server that outlives its suite may hold the pipe open, so `close` might never come without this.
    child.on('exit', () => stopMarked(marker))
    child.on('close', (code) => {
      running.delete(marker)
      if (!isStopping) resolve({ code: code ?? 1, output })
    })
  })
}
