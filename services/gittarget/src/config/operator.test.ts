import { ConfigError, listSettings, parseConfig } from '@agents/config'
import { describe, expect, test } from 'vitest'
import { operator, operatorRules } from './operator.ts'

const settings = listSettings(operator).map(({ setting }) => setting)

describe('the settings of the operator', () => {
  test('have the prefix of the service or of OpenTelemetry, and unique names', () => {
    const names = settings.map(({ env }) => env)
    expect(names.filter((name) => !/^(GITTARGET|OTEL)_/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  test('are all optional, and do not allow local repositories by default', () => {
    const config = parseConfig(operator, {}, operatorRules)
    expect(config).toMatchObject({ namespaces: ['*'], allowFileRepositories: false })
  })

  test.each<[Record<string, string>, string]>([
    [{ GITTARGET_NAMESPACES: 'Not_A_Namespace' }, 'it is not the name of a namespace'],
    [
      { GITTARGET_LEADER_ELECTION_RENEW_DEADLINE_SECONDS: '20' },
      'two could lead at once if a leader retries for longer than the others wait',
    ],
    [
      { GITTARGET_LEADER_ELECTION_RETRY_PERIOD_SECONDS: '10' },
      'one failed attempt would lose the Lease',
    ],
  ])('reject %j, because %s', (environment) => {
    expect(() => parseConfig(operator, environment, operatorRules)).toThrow(ConfigError)
  })
})
