import { expect, test } from 'vitest'
import { render } from '../../support/chart/render.ts'
import { lint } from '../lint.ts'

const digest = `sha256:${'a'.repeat(64)}`

test.each<{ because: string; values: unknown }>([
  {
    because: 'skip has aliases, in any YAML notation',
    values: {
      controllers: { enabled: true, env: { vars: { JANGAR_MIGRATIONS: false } } },
      controlPlane: { env: { vars: { JANGAR_MIGRATIONS: ' Disabled ' } } },
    },
  },
  {
    because: 'internet egress may cover the API server, and required values may be present',
    values: {
      networkPolicy: { enabled: true },
      validation: { requireDatabase: true },
      env: { secrets: [{ name: 'DATABASE_URL', secretName: 'db', key: 'uri' }] },
      imagePolicy: { requireDigest: true },
      image: { tag: 'v1', digest },
      podDisruptionBudget: { enabled: true, minAvailable: '50%', maxUnavailable: null },
      replicaCount: 2,
    },
  },
  {
    because: 'off is a string, even if YAML parses it as a boolean',
    values: {
      configReload: { mode: false, drainTimeoutSeconds: 60 },
      reloader: { enabled: true },
    },
  },
  {
    because: 'a process that reloads itself has time to drain',
    values: {
      configReload: { mode: 'exit', drainTimeoutSeconds: 60 },
      terminationGracePeriodSeconds: 61,
      gitTargetController: { enabled: true, terminationGracePeriodSeconds: 5 },
    },
  },
  {
    because: 'the Recreate strategy ignores the rest of the default strategy',
    values: { deploymentStrategy: { type: 'Recreate' }, minReadySeconds: 599 },
  },
  {
    because: 'pull secrets of an umbrella chart and incomplete lists are accepted',
    values: {
      global: { imagePullSecrets: 'one' },
      image: { pullSecrets: ['', {}, { name: 'two' }, 'two'] },
      ingress: { enabled: true, hosts: [{}] },
      nodeSelector: { spot: true, 'kubernetes.io/os': null },
    },
  },
])('accepted: $because', { timeout: 60_000 }, async ({ values }) => {
  const [three, four] = await Promise.all([render(values, { helm: '3' }), render(values)])
  expect([three.errors, four.errors]).toEqual(['', ''])
  expect(lint(four.objects)).toEqual([])
})
