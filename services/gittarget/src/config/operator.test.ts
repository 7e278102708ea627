import { ConfigError, listSettings, parseConfig } from '@agents/config'
import { describe, expect, test } from 'vitest'
import { operator, operatorRules } from './operator.ts'

const settings = listSettings(operator).map(({ setting }) => setting)

describe('the settings of the operator', () => {
  test('all begin with the name of the service, or are those of OpenTelemetry, and none is there twice', () => {
    const names = settings.map(({ env }) => env)
    expect(names.filter((name) => !/^(GITTARGET|OTEL)_/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  test('need nothing to be set, and refuse repositories of the machine unless told', () => {
    const config = parseConfig(operator, {}, operatorRules)
    expect(config).toMatchObject({ namespaces: ['*'], allowFileRepositories: false })
  })

  test.each<[Record<string, string>, string]>([
    [{ GITTARGET_NAMESPACES: 'Not_A_Namespace' }, 'it is no name of a namespace'],
    [
      { GITTARGET_LEADER_ELECTION_RENEW_DEADLINE_SECONDS: '20' },
      'two could lead at once when a leader goes on for longer than the others wait',
    ],
    [
      { GITTARGET_LEADER_ELECTION_RETRY_PERIOD_SECONDS: '10' },
      'one failed try would lose the lease',
    ],
  ])('refuse %j, because %s', (environment) => {
    expect(() => parseConfig(operator, environment, operatorRules)).toThrow(ConfigError)
  })
})
