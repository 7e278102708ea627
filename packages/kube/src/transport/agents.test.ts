import { rootCertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createAgentPool } from './agents.ts'

test('certificates that cannot be read fail each time, and leave the working ones in use', () => {
  const [authority, other] = rootCertificates
  const pool = createAgentPool(true, {})
  onTestFinished(() => pool.destroy())
  const working = pool.agentFor(authority, undefined)
  const unreadable = { certificate: 'no certificate', key: 'no key' }
  for (const _time of [1, 2]) {
    expect(() => pool.agentFor(authority, unreadable)).toThrow(/PEM/)
  }
  expect(pool.agentFor(authority, undefined)).toBe(working)
  expect(pool.agentFor(other, undefined)).not.toBe(working)
})
