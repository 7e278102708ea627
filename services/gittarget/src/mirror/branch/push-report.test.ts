import { GitError, type GitErrorCode } from '@agents/git'
import { describe, expect, test } from 'vitest'
import { stoppedClock } from '../../testing/stopped-clock.ts'
import { PushReport } from './push-report.ts'

function reportOf(code: GitErrorCode) {
  const clock = stoppedClock()
  const report = new PushReport(clock, () => undefined)
  report.worker(new GitError(code, 'it says so'))
  return { clock, report }
}

describe('PushReport', () => {
  test.each<[GitErrorCode, boolean | undefined, boolean, string]>([
    ['rejected', true, true, 'a hook or a rule of the branch stays'],
    ['auth', true, true, 'somebody has to correct the credentials'],
    ['unreachable', undefined, false, 'a server that is away comes back'],
    ['timeout', undefined, false, 'a slow one gets faster'],
  ])('reports %s as stuck if a retry does not help', async (code, atOnce, later, because) => {
    const { clock, report } = reportOf(code)
    expect(report.problem(true)?.isStuck, because).toBe(atOnce)
    await clock.pass(60_000)
    expect(report.problem(true)?.isStuck, because).toBe(later)
    expect(report.problem(true)?.message).toContain('it says so')
    expect(report.problem(false), 'nothing waits').toBeUndefined()
    report.worker(undefined)
    expect(report.problem(true), 'it is over').toBeUndefined()
  })

  test('keeps the last commits, newest first, each once', () => {
    const report = new PushReport(stoppedClock(), () => undefined)
    const commits = ['a', 'b', 'c', 'd', 'e', 'f', 'f', 'e'].map((each) => each.repeat(40))
    for (const [at, commit] of commits.entries()) report.pushed(commit, new Date(at * 1000))
    const { lastCommit, lastPushTime, recent } = report.state(0, false)
    expect([lastCommit, lastPushTime]).toEqual(['e'.repeat(40), new Date(7000)])
    expect(recent.map(({ commit }) => commit[0]).join('')).toBe('efdcb')
  })

  test('reports that the error changed', () => {
    let notifications = 0
    const report = new PushReport(stoppedClock(), () => {
      notifications += 1
    })
    report.worker(new GitError('unreachable', 'nobody answers'))
    report.worker(new GitError('unreachable', 'nobody answers'))
    expect(notifications, 'once for each').toBe(1)
    report.worker(new GitError('rejected', 'a hook refuses it'))
    expect(notifications, 'now a person can help').toBe(2)
    expect(report.problem(true)?.isStuck).toBe(true)
    report.worker(undefined)
    expect(notifications).toBe(3)
  })

  test.each([
    ['rejected', false, 3, 'nobody knows for how long they wait'],
    [undefined, true, 3, 'they wait for somebody'],
    [undefined, false, 0, 'they are pushed in a moment'],
  ] as const)(
    '%#: reports the pending changes if they may wait for long',
    (code, isHeld, notifications, because) => {
      const report =
        code === undefined ? new PushReport(stoppedClock(), () => undefined) : reportOf(code).report
      expect(report.state(3, isHeld).pendingChanges, because).toBe(notifications)
    },
  )
})
