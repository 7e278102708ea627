import { expect, test } from 'vitest'
import { readRuntimeSettings } from './runtime-settings.ts'

test('settings are read as they are, and secrets by name', () => {
  const settings = {
    serviceAccount: 'agent',
    automountServiceAccountToken: false,
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'gpu', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    topologySpreadConstraints: [{ maxSkew: 1 }],
    podSecurityContext: {
      runAsUser: 1000,
      supplementalGroups: [7],
      seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/a.json' },
    },
    priorityClassName: 'low',
    schedulerName: 'own',
    backoffLimit: 0,
    ttlSecondsAfterFinished: 2 ** 31 - 1,
    logRetentionSeconds: 60,
  }
  expect(
    readRuntimeSettings({ ...settings, imagePullSecrets: ['a', { name: 'b', extra: 1 }] }),
  ).toEqual({ kind: 'found', value: { ...settings, imagePullSecrets: ['a', 'b'] } })
})

test('no setting is read if there is none', () => {
  expect(readRuntimeSettings()).toEqual({ kind: 'found', value: {} })
})
