import { describe, expect, test } from 'vitest'
import { parseFlags, UsageError } from './flags.ts'

describe('parseFlags', () => {
  test('accepts the flags of kube-apiserver', () => {
    const flags = parseFlags([
      '--data-dir=/d',
      '--secure-port',
      '0',
      '--authorization-mode=Node,RBAC',
      '--disable-admission-plugins=NamespaceLifecycle,ServiceAccount',
      '--disable-admission-plugins=Priority',
      '--token-auth-file=t.csv',
      '--history-events=7',
    ])
    expect(flags).toMatchObject({
      dataDir: '/d',
      port: 0,
      authorizationMode: 'RBAC',
      disabledAdmission: ['NamespaceLifecycle', 'ServiceAccount', 'Priority'],
      tokenFile: 't.csv',
      historyEvents: 7,
    })
  })

  test.each([
    { because: 'rejects a missing data directory', args: [] },
    { because: 'rejects --ephemeral with --data-dir', args: ['--ephemeral', '--data-dir', 'd'] },
    { because: 'rejects a port that is not a number', args: ['--ephemeral', '--secure-port', 'x'] },
    { because: 'rejects an empty history', args: ['--ephemeral', '--history-events', '0'] },
    {
      because: 'rejects an unknown authorization mode',
      args: ['--ephemeral', '--authorization-mode', 'ABAC'],
    },
    { because: 'rejects an unknown flag', args: ['--ephemeral', '--etcd-servers', 'x'] },
  ])('$because', ({ args }) => {
    expect(() => parseFlags(args)).toThrow(UsageError)
  })
})
