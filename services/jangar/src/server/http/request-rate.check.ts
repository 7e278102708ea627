import { startApiServer } from '@agents/apiserver'
import { expect, onTestFinished, test } from 'vitest'
import { account, startTestApi } from './testing/test-api.ts'

test('a user that asks too often gets 429 and when to come back, and others are answered', async () => {
  const requestRate = { perSecond: 0.01, burst: 3 }
  const api = await startTestApi(startApiServer, { requestRate })
  onTestFinished(() => api.stop())
  const one = await account(api.admin, 'red', 'one', [])
  const other = await account(api.admin, 'red', 'other', [])
  const ask = (token: string) => api.ask('/v1/kinds', { token })
  for (let at = 0; at < 3; at += 1) expect((await ask(one)).status).toBe(200)
  const refused = await ask(one)
  expect(refused).toMatchObject({ status: 429, json: { ok: false, code: 'TooManyRequests' } })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50)
  expect((await ask(other)).status).toBe(200)
  expect((await api.ask('/livez')).status).toBe(200)
})
