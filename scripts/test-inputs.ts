import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readProjectFiles } from './test/results/project-files.ts'
import { suiteInputs } from './test/results/suite-inputs.ts'
import { bin, runTests, stopOnSignals } from './test/run-tests.ts'
import { suitesNamed, suitesOf } from './test/suites.ts'

/**
 * `npm run test:inputs -- SUITE…` runs suites of the gate in a checkout that has only the files on which their kept
 * results depend. What a suite reads beside them is missing there, so it fails, or runs fewer tests than elsewhere.
 */

const root = join(import.meta.dirname, '..')
const names = process.argv.slice(2)
const suites = suitesOf('gate').filter(
  (suite) => names.length === 0 || names.some((name) => suitesNamed(name).includes(suite)),
)
let passed = 0
let failed = 0

stopOnSignals()
for (const suite of suites) {
  const folder = mkdtempSync(join(tmpdir(), 'agents-inputs-'))
  try {
    copyInputs(suiteInputs(suite, readProjectFiles(root)), folder)
    process.chdir(folder)
    const tally = await runTests({
      ...{ title: suite.name, projects: [suite.name] },
      ...{ tier: 'gate', stdio: 'inherit' },
    })
    passed += tally.passed
    failed += tally.failed
  } finally {
    process.chdir(root)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

/** The links of workspaces in node_modules are relative: they lead to the copies. */
function copyInputs(inputs: readonly string[], folder: string): void {
  for (const path of inputs) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true })
  }
  execFileSync('cp', ['-al', join(dirname(bin('vitest')), '..'), join(folder, 'node_modules')])
  rmSync(join(folder, 'node_modules/.cache'), { recursive: true, force: true })
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  execFileSync('git', ['add', '--all', '--force', '--', ...topOf(inputs)], { cwd: folder })
}

function topOf(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => path.split('/')[0] ?? path))]
}
