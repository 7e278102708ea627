import { describe, expect, test } from 'vitest'
import type { Failure } from './failure.ts'
import { afterRepeat, filesToRepeat } from './repeat-failed.ts'

function failureIn(file: string, name = 'test'): Failure {
  return { file, where: `${file} > ${name}`, why: 'Error: no' }
}

function tallyOf(passed: number, ...failures: Failure[]) {
  return { passed, failed: failures.length, failures }
}

describe('filesToRepeat', () => {
  test.each([
    { because: 'nothing failed', failures: [], repeats: [] },
    {
      because: 'each file is repeated once',
      failures: [failureIn('a', 'one'), failureIn('a', 'two'), failureIn('b')],
      repeats: ['a', 'b'],
    },
    {
      because: 'a failure outside of all files is not repeated',
      failures: [failureIn('a'), { where: 'nobody caught', why: 'Error: too late' }],
      repeats: [],
    },
    {
      because: 'many failed files are not repeated',
      failures: ['a', 'b', 'c', 'd', 'e', 'f'].map((file) => failureIn(file)),
      repeats: [],
    },
  ])('$because', ({ failures, repeats }) => {
    expect(filesToRepeat(tallyOf(10, ...failures))).toEqual(repeats)
  })
})

describe('afterRepeat', () => {
  test('what passes when repeated is reported as unstable', () => {
    const first = tallyOf(10, failureIn('a'))
    expect(afterRepeat(first, tallyOf(3))).toEqual({
      tally: { passed: 11, failed: 0, failures: [] },
      unstable: first.failures,
    })
  })

  test('what fails twice has failed', () => {
    const first = tallyOf(10, failureIn('a', 'one'), failureIn('a', 'two'))
    const second = tallyOf(2, failureIn('a', 'two'))
    expect(afterRepeat(first, second)).toEqual({
      tally: { passed: 11, failed: 1, failures: second.failures },
      unstable: [first.failures[0]],
    })
  })

  test('what fails only when repeated has failed', () => {
    const second = tallyOf(2, failureIn('a', 'other'))
    expect(afterRepeat(tallyOf(10, failureIn('a', 'one')), second).tally.failed).toBe(1)
  })

  test('a run that ends early when repeated has failed', () => {
    const second = {
      passed: 0,
      failed: 1,
      failures: [{ where: 'suite', why: 'ended with code 1' }],
    }
    expect(afterRepeat(tallyOf(10, failureIn('a')), second).tally.failed).toBe(1)
  })
})
