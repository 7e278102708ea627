import { describe, expect, test } from 'vitest'
import { AdmissionHarness, atATime, runToTheEnd } from './testing/admission-harness.ts'

describe('after a restart', () => {
  test('runs that an earlier process admitted still count', () => {
    const harness = new AdmissionHarness(atATime(2))
    for (let count = 0; count < 4; count += 1) harness.create()
    harness.settle()
    harness.restart()
    harness.settle()
    expect(harness.running()).toHaveLength(2)
    harness.finish('team/run-00001')
    harness.settle()
    expect(harness.started).toEqual(['team/run-00001', 'team/run-00002', 'team/run-00003'])
  })

  test('a run with a Job has a slot although its status was not written before the process ended', () => {
    const harness = new AdmissionHarness(atATime(1))
    harness.create()
    harness.create()
    harness.deliver()
    harness.reconcile('team/run-00002', true)
    harness.withJobs.add('team/run-00002')
    harness.restart()
    harness.reconcile('team/run-00001')
    expect(harness.decisions.get('team/run-00001')).toMatchObject({ kind: 'waiting' })
    harness.reconcile('team/run-00002')
    expect(harness.started).toEqual(['team/run-00002'])
  })

  test.each([
    { because: 'the statuses of waiting runs were written', holdsWaiting: false },
    { because: 'they were held, and lost with the process', holdsWaiting: true },
  ])('survives a restart although a list is sorted by name: $because', ({ holdsWaiting }) => {
    const harness = new AdmissionHarness(atATime(1), { holdsWaiting })
    harness.create({ namespace: 'z' })
    harness.clock.advance(1000)
    harness.create({ namespace: 'z' })
    harness.clock.advance(1000)
    harness.create({ namespace: 'a' })
    harness.settle()
    harness.restart()
    runToTheEnd(harness)
    expect(harness.started).toEqual(['z/run-00001', 'z/run-00002', 'a/run-00003'])
  })

  test('survives a restart although runs waited for their agent first, whatever their names are', () => {
    const harness = new AdmissionHarness(atATime(1), { holdsWaiting: true, namesDescend: true })
    const keys = [0, 1, 2].map(() => {
      harness.clock.advance(1000)
      return harness.create()
    })
    for (const key of keys) harness.refuse(key)
    for (const key of keys) harness.accept(key)
    harness.settle()
    harness.restart()
    runToTheEnd(harness)
    expect(harness.started).toEqual(keys)
  })

  test('a run that turns out to count against a repository keeps its turn', () => {
    const harness = new AdmissionHarness(atATime(1), { holdsWaiting: true, showsRepository: false })
    for (const repository of ['o/a', 'o/b', undefined]) {
      harness.create({ repository })
      harness.clock.advance(1000)
    }
    harness.settle()
    harness.finish('team/run-00001')
    harness.restart()
    runToTheEnd(harness)
    expect(harness.started).toEqual(['team/run-00001', 'team/run-00002', 'team/run-00003'])
  })

  test('a run that turns out to count against a full repository gives its slot to the next', () => {
    const limits = {
      ...atATime(2),
      repoConcurrency: { enabled: true, default: 1, overrides: {} },
    }
    const harness = new AdmissionHarness(limits, { holdsWaiting: true, showsRepository: false })
    for (const repository of ['o/a', undefined, 'o/a', undefined]) {
      harness.create({ repository })
      harness.clock.advance(1000)
    }
    harness.settle()
    harness.finish('team/run-00002')
    harness.restart()
    harness.settle()
    expect(harness.started).toEqual(['team/run-00001', 'team/run-00002', 'team/run-00004'])
    runToTheEnd(harness)
    expect(harness.started.at(-1)).toBe('team/run-00003')
  })
})
