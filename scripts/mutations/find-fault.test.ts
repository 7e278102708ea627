import { expect, test } from 'vitest'
import type { Suite } from '../test/suites.ts'
import { withFault } from './fault.ts'
import { findFault } from './find-fault.ts'
import { outcomeLines } from './outcome-lines.ts'
import { testFiles } from './test-files.ts'

const timeouts = { testTimeout: 1, hookTimeout: 1 }
const suites: readonly Suite[] = [{ name: 'e2e/forge', ...timeouts }]
const passed = { passed: 1, failed: 0, failures: [] }
const failed = { passed: 0, failed: 1, failures: [{ where: 'a test', why: 'x' }] }

const both = testFiles(
  ['packages/a/src/a', 'tests/e2e/forge/b'],
  ['packages/a/src/a.test.ts', 'tests/e2e/forge/b.full.ts'],
  suites,
)

/** Which runs there were, and what was found, if the tests of `failing` fail. */
async function search(failing: readonly string[]) {
  const runs: string[] = []
  const outcome = await findFault({
    ...both,
    run: async ({ files }, tier, product) => {
      const run = `${tier} ${product} ${files.length}`
      runs.push(run)
      return failing.includes(run) ? failed : passed
    },
  })
  return { runs, outcome }
}

test('the tier of a test is that of its files', () => {
  const paths = ['a/x.test.ts', 'tests/e2e/forge/y.check.ts', 'tests/e2e/forge/y.full.ts']
  expect(testFiles(['a/x', 'tests/e2e/forge/y'], paths, suites)).toEqual({
    gate: {
      files: ['a/x.test.ts', 'tests/e2e/forge/y.check.ts'],
      projects: ['quick', 'e2e/forge'],
    },
    full: { files: paths, projects: ['quick', 'e2e/forge'] },
  })
})

test('a fault is found by the gate if its tests fail with it alone', async () => {
  expect(await search(['gate faulty 1'])).toEqual({
    runs: ['gate faulty 1', 'gate correct 1'],
    outcome: { kind: 'gate', by: 'a test' },
  })
})

test('a fault is found by full if the gate does not find it', async () => {
  expect(await search(['full faulty 2'])).toEqual({
    runs: ['gate faulty 1', 'full faulty 2', 'full correct 2'],
    outcome: { kind: 'full', by: 'a test' },
  })
})

test('tests that fail without the fault find nothing', async () => {
  const { outcome } = await search(['gate faulty 1', 'gate correct 1'])
  expect(outcome).toEqual({ kind: 'unclear', by: 'a test' })
  expect((await search([])).outcome).toEqual({ kind: 'not found' })
})

test('the table ends with what the gate has found', () => {
  const outcomes = [
    { kind: 'gate', by: 'a.test.ts > a' },
    { kind: 'full', by: 'b.full.ts > b' },
    { kind: 'not found' },
  ] as const
  const results = outcomes.map((outcome, at) => ({ name: `fault ${at}`, outcome, seconds: 61 }))
  expect(outcomeLines(results)).toEqual([
    '  1:01  fault 0  found by the gate: a.test.ts > a',
    '  1:01  fault 1  FOUND ONLY BY FULL: b.full.ts > b',
    '  1:01  fault 2  NOT FOUND',
    '1 of 3 found by the gate, 2 by full',
    '1 passed, 2 failed',
  ])
})

test('a text that is not there, or twice, cannot be replaced', () => {
  const fault = { file: 'a.ts', find: 'a', replace: 'b' }
  expect(withFault(fault, '-a-')).toBe('-b-')
  expect(() => withFault(fault, '-')).toThrow('a.ts has no a')
  expect(() => withFault(fault, 'a-a')).toThrow('more than once')
})
