import { describe, expect, test } from 'vitest'
import { parseFlags, UsageError } from './flags.ts'

describe('parseFlags', () => {
  test('reads what kube-apiserver users type', () => {
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
    { because: 'somewhere to keep the data is needed', args: [] },
    { because: 'data is kept or not', args: ['--ephemeral', '--data-dir', 'd'] },
    { because: 'a port is a number', args: ['--ephemeral', '--secure-port', 'x'] },
    { because: 'nothing remembered is no history', args: ['--ephemeral', '--history-events', '0'] },
    { because: 'modes are a closed list', args: ['--ephemeral', '--authorization-mode', 'ABAC'] },
    { because: 'flags are a closed list', args: ['--ephemeral', '--etcd-servers', 'x'] },
  ])('$because', ({ args }) => {
    expect(() => parseFlags(args)).toThrow(UsageError)
  })
})
