import { describe, expect, test } from 'vitest'
import { resolveWork } from './resolve-work.ts'
import { keys, portsWith, runOf } from './testing/resolution-fixture.ts'

function configured(config: Record<string, unknown>) {
  return runOf({ runtime: { type: 'job', config } })
}

describe('the settings of a run are accepted', () => {
  test.each([
    { because: 'it names no account', config: {} },
    {
      because: 'it names the account default without its token',
      config: { serviceAccount: 'default' },
    },
    {
      because: 'its account is the default of the platform, with its token',
      config: { serviceAccount: 'runner', automountServiceAccountToken: true },
    },
    {
      because: 'its account is in the list, with its token',
      config: { serviceAccount: 'team-builder', automountServiceAccountToken: true },
    },
    { because: 'its class is in the list', config: { priorityClassName: 'batch-low' } },
    {
      because: 'its class is the default of the platform',
      config: { priorityClassName: 'system-x' },
    },
    {
      because: 'it chooses its user within the restricted standard',
      config: {
        podSecurityContext: {
          runAsNonRoot: true,
          runAsUser: 5,
          runAsGroup: 5,
          fsGroup: 5,
          fsGroupChangePolicy: 'Always',
          supplementalGroups: [],
          supplementalGroupsPolicy: 'Strict',
          seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/audit.json' },
        },
      },
    },
    { because: 'its security context is empty', config: { podSecurityContext: {} } },
    {
      because: 'it sets everything that can be set',
      config: {
        nodeSelector: { pool: 'agents' },
        tolerations: [{ key: 'pool', operator: 'Exists' }],
        affinity: {},
        topologySpreadConstraints: [],
        podSecurityContext: { runAsUser: 1000 },
        priorityClassName: 'batch-low',
        schedulerName: 'other',
        imagePullSecrets: [{ name: 'pull' }],
        serviceAccount: 'runner',
        backoffLimit: 1,
        ttlSecondsAfterFinished: 60,
        logRetentionSeconds: 60,
      },
    },
  ])('if $because', ({ config }) => {
    const run = configured(config)
    const env = {
      JANGAR_AGENT_RUNNER_SERVICE_ACCOUNT: 'runner',
      JANGAR_AGENT_RUNNER_PRIORITY_CLASS: 'system-x',
      JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: 'team-*',
      JANGAR_AGENTS_CONTROLLER_PRIORITY_CLASSES_ALLOWED: 'batch-*',
    }
    const resolution = resolveWork(
      run,
      undefined,
      portsWith([run, keys('Secret', 'pull', 'x')], env),
    )
    expect(resolution).toMatchObject({ kind: 'resolved' })
  })
})
