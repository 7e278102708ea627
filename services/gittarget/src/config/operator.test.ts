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

  test.each(['TOKEN', 'CLIENT_CA'])('accept an audit webhook with %s_FILE', (name) => {
    const config = parseConfig(
      operator,
      {
        GITTARGET_AUDIT_WEBHOOK_ENABLED: 'true',
        GITTARGET_AUDIT_WEBHOOK_TLS_CERT_FILE: '/tls/tls.crt',
        GITTARGET_AUDIT_WEBHOOK_TLS_KEY_FILE: '/tls/tls.key',
        [`GITTARGET_AUDIT_WEBHOOK_${name}_FILE`]: '/file',
      },
      operatorRules,
    )
    expect(config.auditWebhook).toMatchObject({ enabled: true, port: 8443 })
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
    [{ GITTARGET_AUDIT_WEBHOOK_ENABLED: 'true' }, 'it has no certificate'],
    [
      {
        GITTARGET_AUDIT_WEBHOOK_ENABLED: 'true',
        GITTARGET_AUDIT_WEBHOOK_TLS_CERT_FILE: '/tls/tls.crt',
        GITTARGET_AUDIT_WEBHOOK_TLS_KEY_FILE: '/tls/tls.key',
      },
      'everybody could send events',
    ],
    [
      {
        GITTARGET_AUDIT_WEBHOOK_ENABLED: 'true',
        GITTARGET_AUDIT_WEBHOOK_TLS_CERT_FILE: '/tls/tls.crt',
        GITTARGET_AUDIT_WEBHOOK_TLS_KEY_FILE: '/tls/tls.key',
        GITTARGET_AUDIT_WEBHOOK_TOKEN_FILE: '/token',
        GITTARGET_AUDIT_WEBHOOK_PORT: '8080',
      },
      'the port is taken by the probes',
    ],
  ])('reject %j, because %s', (environment) => {
    expect(() => parseConfig(operator, environment, operatorRules)).toThrow(ConfigError)
  })
})
