import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * `npm test`: lint, types, generated files, then the quick tests. `npm test -- CONFIG…` runs the suites of those vitest configs
 * instead. The last line is `N passed, N failed`, whatever happens.
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

const suites = process.argv.slice(2)
const total: Tally = { passed: 0, failed: 0 }
if (suites.length === 0) {
  for (const [name, command] of checks) add(await runCheck(name, command))
  add(await runSuite('vitest.config.ts'))
}
for (const config of suites) add(await runSuite(config))

console.log(`${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)

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
  const directory = await mkdtemp(join(tmpdir(), 'agents-test-'))
  const report = join(directory, 'report.json')
  try {
    const code = await run([
      bin('vitest'),
      'run',
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
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}
