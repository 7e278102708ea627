import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, withFault } from './mutations/fault.ts'
import { faults } from './mutations/faults.ts'
import { findFault } from './mutations/find-fault.ts'
import { outcomeLines } from './mutations/outcome-lines.ts'
import { scratchCopy } from './mutations/scratch-copy.ts'
import { testFiles } from './mutations/test-files.ts'
import { readProjectFiles } from './test/results/project-files.ts'
import { runTests, stopOnSignals } from './test/run-tests.ts'
import { suites } from './test/suites.ts'

/**
 * `npm run mutations` puts faults that the product once had back into a copy of it, one at a time, and shows which of
 * them the gate finds; with words, only those with one of them in their name. A fault is found if a test of its fix
 * fails with it, and passes without.
 */

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const selected = faults.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
)
if (selected.length === 0) {
  console.error(`no fault has ${words.join(', ')} in its name`)
  process.exit(64)
}

stopOnSignals()
const { paths } = readProjectFiles(root)
const folder = scratchCopy(root, paths)
// Also when a signal ends it.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
process.chdir(folder)
const results = []
for (const fault of selected) {
  const started = performance.now()
  const outcome = await find(fault)
  results.push({ name: fault.name, outcome, seconds: (performance.now() - started) / 1000 })
}
for (const line of outcomeLines(results)) console.log(line)
process.exit(results.every(({ outcome }) => outcome.kind === 'gate') ? 0 : 1)

async function find(fault: Fault) {
  const file = join(folder, fault.file)
  const correct = readFileSync(file, 'utf8')
  const faulty = withFault(fault, correct)
  const tiers = testFiles(fault.tests, paths, suites)
  return await findFault({
    ...tiers,
    run: async ({ files, projects }, tier, product) => {
      writeFileSync(file, product === 'faulty' ? faulty : correct)
      try {
        const title = `${fault.name}, ${product}`
        return await runTests({ title, projects, args: files, tier, stdio: 'pipe' })
      } finally {
        writeFileSync(file, correct)
      }
    },
  })
}
