import { ConfigMapKind, JobKind, PodKind, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  conditionText,
  pollOptions,
  type RunHarness,
  type RunSpec,
  startHarness,
} from './run-harness.ts'

let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness({
    environment: {
      JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: 'crown-jewels',
      JANGAR_AGENTS_CONTROLLER_IMAGES_DENIED: '*/unsafe:*',
    },
  })
  await harness.createAgent('guarded', {
    security: { allowedSecrets: ['own'], allowedServiceAccounts: ['default'] },
  })
})
afterAll(() => harness.stop())

const namespace = 'agents'

describe('security', pollOptions, () => {
  test.each<{ because: string; name: string; spec: RunSpec; reason: string }>([
    {
      because: 'a blocked Secret',
      name: 'greedy',
      spec: { secrets: ['crown-jewels'] },
      reason: 'SecretBlocked',
    },
    {
      because: 'a Secret that its agent may not use',
      name: 'curious',
      spec: { agentRef: { name: 'guarded' }, secrets: ['others'] },
      reason: 'SecretNotAllowed',
    },
    {
      because: 'a service account that its agent may not use',
      name: 'ambitious',
      spec: {
        agentRef: { name: 'guarded' },
        runtime: { type: 'job', config: { serviceAccount: 'root' } },
      },
      reason: 'ServiceAccountNotAllowed',
    },
    {
      because: 'a denied image',
      name: 'careless',
      spec: { workload: { image: 'example.org/unsafe:1' } },
      reason: 'ImageBlocked',
    },
  ])('policies are enforced for raw CRs: $because', async ({ name, spec, reason }) => {
    await harness.create(name, 'exit 0', spec)
    const run = await harness.untilFinished(name)
    expect(conditionText(run, 'Accepted')).toBe(`False/${reason}`)
    expect(await harness.jobsOf(name)).toEqual([])
  })

  test('secrets are never literal in the objects created for a run, although its program gets them', async () => {
    const value = 'do-not-tell-anybody'
    const metadata = { namespace, name: 'keys' }
    await harness.client.create(SecretKind, { metadata, stringData: { API_KEY: value } })
    await harness.create('keyed', `test "$API_KEY" = ${[...value].join("''")}`, {
      secrets: ['keys'],
      systemPromptRef: { kind: 'Secret', name: 'keys', key: 'API_KEY' },
    })
    const run = await harness.untilFinished('keyed')
    expect(conditionText(run, 'Succeeded')).toBe('True/Succeeded')
    const created = await Promise.all(
      [JobKind, PodKind, ConfigMapKind].map((kind) =>
        harness.client.list<never>(kind as never, { namespace }),
      ),
    )
    expect(JSON.stringify([run, created])).not.toContain(value)
  })

  test('the name "--all" is rejected', async () => {
    await expect(harness.create('--all', 'exit 0')).rejects.toThrow(/Invalid value: "--all"/)
  })
})
