import { customResourceDefinition } from '@agents/crd'
import { unreconciledKinds } from '@agents/jangar-api'
import { CustomResourceDefinitionKind, type KubeClient, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestCluster } from '../cluster/testing/test-cluster.ts'
import { checkUnreconciled } from './check-unreconciled.ts'

const namespace = 'default'
let client: KubeClient
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ client, stop } = await startTestCluster())
})

afterAll(() => stop?.())

function check() {
  return checkUnreconciled({ client, namespace, signal: new AbortController().signal })
}

describe('doctor, about kinds that no controller reconciles', () => {
  test('has nothing to report if they are not installed, or have no objects', async () => {
    expect(await check()).toMatchObject({ verdict: 'good' })
    for (const kind of unreconciledKinds) {
      await client.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
    }
    expect(await check()).toMatchObject({ verdict: 'good' })
  })

  test('names the kinds that are in use', async () => {
    const [kind] = unreconciledKinds
    if (kind === undefined) throw new Error('all kinds are reconciled')
    const ref = kindRef(kind)
    await expect
      .poll(
        () =>
          client.create(ref, { metadata: { name: 'codex', namespace } } as never).then(
            () => true,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true)
    const { verdict, says, advice } = await check()
    expect(verdict).toBe('doubtful')
    expect(says).toMatch(new RegExp(`: ${kind.kind} \\(such as default/codex\\)$`))
    expect(advice).toHaveLength(1)
  })
})
