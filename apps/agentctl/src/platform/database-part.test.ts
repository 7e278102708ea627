import type { Audit } from '@agents/jangar'
import { expect, test } from 'vitest'
import { databasePart } from './database-part.ts'

const act: Parameters<Audit['record']>[0] = {
  ...{ at: '2026-03-04T05:06:07Z', actor: 'runner', action: 'PUT /v1/artifacts', code: 200 },
  ...{ namespace: 'agents', name: null, outcome: 'allowed', request: 'a' },
}

test('what happens before the database has started does not wait for its audit entry', async () => {
  const stop = new AbortController()
  const database = databasePart(stop.signal)
  await database.audit.record(act)
  expect(database.state()).toBe('starting')
  stop.abort()
})
