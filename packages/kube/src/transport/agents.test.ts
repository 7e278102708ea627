import { rootCertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createAgentPool } from './agents.ts'

test('invalid certificates throw each time, and the working agent stays in use', () => {
  const [authority, other] = rootCertificates
  const pool = createAgentPool(true, {})
  onTestFinished(() => pool.destroy())
  const working = pool.agentFor(authority, undefined)
  const invalid = { certificate: 'no certificate', key: 'no key' }
  for (const _time of [1, 2]) {
    expect(() => pool.agentFor(authority, invalid)).toThrow(/PEM/)
  }
  expect(pool.agentFor(authority, undefined)).toBe(working)
  expect(pool.agentFor(other, undefined)).not.toBe(working)
})
