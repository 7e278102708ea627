import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { labelValue } from '../kubernetes/labels.ts'
import { configMapName, jobName } from './attempt-names.ts'

describe('the name of a Job', () => {
  test.each([
    { because: 'a run has one', of: { attempt: 1 }, is: 'fix-job' },
    {
      because: 'a ToolRun of the same name has another one',
      of: { attempt: 1, ofKind: 'tool' as const },
      is: 'fix-tool',
    },
    { because: 'a retry has its own', of: { attempt: 2 }, is: 'fix-job-attempt-2' },
    { because: 'so has each step', of: { stepIndex: 1, attempt: 1 }, is: 'fix-step-1-attempt-1' },
  ])('is $is: $because', ({ of, is }) => {
    expect(jobName('fix', of)).toBe(is)
  })

  test('and those of its ConfigMaps go together', () => {
    expect(configMapName('fix', 'spec', { attempt: 1 })).toBe('fix-spec')
    expect(configMapName('fix', 'inputs', { stepIndex: 2, attempt: 3 })).toBe(
      'fix-inputs-step-2-attempt-3',
    )
  })

  const runName = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,250}[a-z0-9])?$/)
  const which = fc.record(
    { stepIndex: fc.integer({ min: 1, max: 1000 }), attempt: fc.integer({ min: 1, max: 999 }) },
    { requiredKeys: ['attempt'] },
  )

  test('is good for a label and a host, however long the name of the run', () => {
    fc.assert(
      fc.property(runName, which, (name, of) => {
        expect(jobName(name, of)).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
      }),
    )
  })

  test.each([
    {
      because: 'the names differ after the cut',
      names: [`${'a'.repeat(80)}b`, `${'a'.repeat(80)}c`],
    },
    { because: 'a dot becomes a dash', names: ['a.b', 'a-b'] },
  ])('is no other run’s, though $because', ({ names }) => {
    expect(new Set(names.map((name) => jobName(name, { attempt: 1 }))).size).toBe(2)
  })

  test('is no other attempt’s', () => {
    fc.assert(
      fc.property(runName, which, which, (name, a, b) => {
        fc.pre(a.attempt !== b.attempt || a.stepIndex !== b.stepIndex)
        expect(jobName(name, a)).not.toBe(jobName(name, b))
      }),
    )
  })
})

describe('a name as a label', () => {
  test.each([
    { because: 'it fits', name: 'fix.a-1', is: 'fix.a-1' },
    { because: 'a space is no part of a label', name: 'step one', is: /^step-one-[0-9a-f]{8}$/ },
    { because: 'a label ends in a letter or digit', name: 'plan-', is: /^plan-[0-9a-f]{8}$/ },
    { because: 'nothing of it fits', name: '«»', is: /^[0-9a-f]{8}$/ },
    { because: 'it is too long', name: 'x'.repeat(64), is: /^x{54}-[0-9a-f]{8}$/ },
  ])('is kept or cut: $because', ({ name, is }) => {
    const value = labelValue(name)
    if (typeof is === 'string') expect(value).toBe(is)
    else expect(value).toMatch(is)
  })
})
