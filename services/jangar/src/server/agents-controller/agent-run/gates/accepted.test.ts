import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { runOf } from '../resolution/testing/world.ts'
import type { Looks } from '../run-look.ts'
import { accepted } from './accepted.ts'

const missing = {
  kind: 'waiting',
  reason: 'DependencyMissing',
  message: 'Agent coder does not exist',
} as const
const looks: Looks = () => ({ resolution: () => missing, carried: () => Promise.reject() })
const context = { now: new Date(), signal: new AbortController().signal }
const check = (run: AgentRun) =>
  accepted(looks, { of: () => [] }, async () => undefined).check(run, {}, context)

test.each([
  { because: 'nobody has looked before', status: {}, soon: false },
  {
    because: 'what has gone since may be back before the status says so',
    status: { conditions: [{ type: 'Accepted', status: 'True', reason: 'Accepted' }] },
    soon: true,
  },
])(
  'a run that lacks something is looked at again soon ($soon): $because',
  async ({ status, soon }) => {
    const verdict = await check(runOf({}, { status }))
    expect(verdict).toMatchObject({ kind: 'wait', reason: 'DependencyMissing' })
    expect(verdict.kind === 'wait' && verdict.retryAfterMs < 5000).toBe(soon)
  },
)
