import { startApiServer } from '@agents/apiserver'
import { expect, test } from 'vitest'
import type { Act } from '../audit/audit-entry.ts'
import type { Audit } from '../audit/open-audit.ts'
import { account, startTestApi } from './testing/test-api.ts'

test('the audit has the kind, the namespace and the name of what an act is about', async () => {
  const acts: Act[] = []
  const audit: Audit = {
    record: async (act) => void acts.push(act),
    list: () => Promise.reject(new Error('not in this test')),
    verify: () => Promise.reject(new Error('not in this test')),
    close: () => Promise.resolve(),
  }
  const api = await startTestApi(startApiServer, { audit })
  try {
    const token = await account(api.admin, 'red', 'nobody', [])
    const kind = 'budgets.budgets.proompteng.ai'
    await api.ask(`/v1/objects/${kind}/red/shared`, { method: 'DELETE', token })
    const place = { namespace: 'red', outcome: 'denied' }
    expect(acts).toMatchObject([{ ...place, action: 'deleteObject', name: `${kind}/shared` }])
    const remember = async (body: object) => {
      const headers = { 'content-type': 'application/json' }
      const sent = { method: 'POST', token, headers, body: JSON.stringify(body) }
      const { status } = await api.ask('/v1/memory-queries', sent)
      expect(status).toBe(403)
      return acts.findLast(({ action }) => action === 'queryMemory')
    }
    const named = { ...place, name: 'notes' }
    expect(await remember({ memoryRef: 'red/notes', query: 'x' })).toMatchObject(named)
    const body = { memoryRef: 'notes', namespace: 'red', query: 'x' }
    expect(await remember(body)).toMatchObject(named)
  } finally {
    await api.stop()
  }
}, 120_000)
