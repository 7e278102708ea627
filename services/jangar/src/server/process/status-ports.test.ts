import { parseConfig } from '@agents/config'
import { expect, test } from 'vitest'
import { controlPlane } from '../../config/control-plane.ts'
import { controllersPlace } from './status-ports.ts'

test('the checks of the API look for the Lease that the chart names', () => {
  const env = {
    JANGAR_LEADER_ELECTION_LEASE_NAME: 'platform-agents-controllers',
    JANGAR_POD_NAMESPACE: 'platform',
  }
  expect(placeOf(env)).toEqual({
    lease: { namespace: 'platform', name: 'platform-agents-controllers' },
  })
})

test('without leader election, only the controllers of this process are known', () => {
  const env = { JANGAR_LEADER_ELECTION_ENABLED: 'false' }
  expect(placeOf(env)).toEqual({ pid: process.pid })
  expect(placeOf({ ...env, JANGAR_AGENTS_CONTROLLER_ENABLED: 'false' })).toBe('unelected')
})

function placeOf(env: Readonly<Record<string, string>>) {
  const config = parseConfig(controlPlane, env)
  return controllersPlace(config, { namespace: 'default' })
}
