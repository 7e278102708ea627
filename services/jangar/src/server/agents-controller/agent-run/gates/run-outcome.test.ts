import { cancelled, failed, pass, succeeded } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { withRepositoryOutcome } from './run-outcome.ts'

const reserved = { repository: 'o/r', headBranch: 'agents/a', mode: 'read-write' as const }
const run = { status: { vcs: reserved } } as AgentRun

test.each([
  { because: 'cancelled', verdict: cancelled('stopped') },
  { because: 'failed', verdict: failed('JobFailed', 'exit code 1') },
  { because: 'ended without a report', verdict: succeeded('done') },
])('a run that $because names no branch', ({ verdict }) => {
  const ended = withRepositoryOutcome(run, {}, verdict)
  expect(ended).toEqual({ ...verdict, detail: { vcs: { repository: 'o/r', mode: 'read-write' } } })
})

test('a run that pushed names its branch', () => {
  const verdict = succeeded('done', { detail: { vcs: { ...reserved, pushed: true } } })
  expect(withRepositoryOutcome(run, {}, verdict)).toBe(verdict)
})

test('a run that goes on keeps the branch reserved', () => {
  const verdict = pass('Started', 'started')
  expect(withRepositoryOutcome(run, {}, verdict)).toBe(verdict)
})

test('a run that could write and pushed nothing has the reason NoChanges', () => {
  const vcs = { ...reserved, pushed: false }
  expect(withRepositoryOutcome(run, {}, succeeded('done', { detail: { vcs } }))).toMatchObject({
    kind: 'succeeded',
    reason: 'NoChanges',
  })
  const readOnly = { ...vcs, mode: 'read-only' as const }
  const looked = withRepositoryOutcome(run, {}, succeeded('done', { detail: { vcs: readOnly } }))
  expect(looked).not.toHaveProperty('reason')
})

test('a run that succeeded and pushed is marked, whatever its program said, if it gets a pull request', () => {
  const claimed = { number: 1, url: 'https://evil.example.com/1' }
  const detail = { vcs: { ...reserved, pushed: true, pullRequest: claimed } }
  const marked = withRepositoryOutcome(run, {}, succeeded('done', { detail }), () => true)
  expect(marked).toMatchObject({ detail: { vcs: { pullRequest: { state: 'Pending' } } } })
  expect(JSON.stringify(marked)).not.toContain('evil')
  const lost = failed('JobFailed', 'exit code 1', { detail })
  expect(withRepositoryOutcome(run, {}, lost, () => true)).toBe(lost)
})
