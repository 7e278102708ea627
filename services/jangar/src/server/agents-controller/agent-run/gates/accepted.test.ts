import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { runOf } from '../resolve/testing/resolution-fixture.ts'
import type { RunScope } from '../run-scope.ts'
import { accepted } from './accepted.ts'

const missing = {
  kind: 'waiting',
  reason: 'DependencyMissing',
  message: 'Agent coder does not exist',
} as const
const scope: RunScope = {
  resolution: () => missing,
  works: () => undefined,
  createOrObserveJob: () => Promise.reject(),
  isUrgent: () => false,
}
const context = { now: new Date(), signal: new AbortController().signal, scope }

function check(run: AgentRun) {
  return accepted({ of: () => [] }, async () => undefined).check(run, {}, context)
}

test.each([
  { because: 'it was not reconciled before', status: {}, soon: false },
  {
    because: 'a deleted dependency may reappear before the status is written',
    status: { conditions: [{ type: 'Accepted', status: 'True', reason: 'Accepted' }] },
    soon: true,
  },
])(
  'a run with a missing dependency is requeued soon ($soon): $because',
  async ({ status, soon }) => {
    const verdict = await check(runOf({}, { status }))
    expect(verdict).toMatchObject({ kind: 'wait', reason: 'DependencyMissing' })
    expect(verdict.kind === 'wait' && verdict.retryAfterMs < 5000).toBe(soon)
  },
)
