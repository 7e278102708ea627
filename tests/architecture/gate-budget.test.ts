import { globSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, test } from 'vitest'
import { readRecordedDurations } from '../../scripts/test/suite-table.ts'
import { foldersOf, suites } from '../../scripts/test/suites.ts'

const root = join(import.meta.dirname, '../..')
/** Three lanes for half an hour. */
const wholeBudget = 3 * 30 * 60

const gateFiles = globSync('{packages,services,apps,scripts,tests}/**/*.check.ts', {
  cwd: root,
  exclude: (path) => path.endsWith('node_modules'),
}).map((path) => path.replaceAll(sep, '/'))
const gate = suites.filter(({ budget }) => budget !== undefined)

test('a suite with tests of the gate has a budget, and no other has', () => {
  const withTests = suites.filter(({ name }) =>
    foldersOf(name).some((folder) => gateFiles.some((path) => path.startsWith(`${folder}/`))),
  )
  expect(gate.map(({ name }) => name)).toEqual(withTests.map(({ name }) => name))
})

test('all suites of the gate together take half an hour', () => {
  const sum = gate.reduce((seconds, { budget = 0 }) => seconds + budget, 0)
  expect(sum).toBeLessThanOrEqual(wholeBudget)
})

/** `npm run test:long -- --no-cache --record` writes the durations: growth is seen in the change that causes it. */
test('no suite of the gate has grown past its budget', () => {
  const recorded = readRecordedDurations().gate
  expect(gate.filter(({ name }) => recorded[name] === undefined)).toEqual([])
  expect(gate.filter(({ name, budget = 0 }) => (recorded[name] ?? 0) > budget)).toEqual([])
})
