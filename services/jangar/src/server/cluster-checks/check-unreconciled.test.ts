import { startApiServer } from '@agents/apiserver'
import { customResourceDefinition } from '@agents/crd'
import { artifact, budget } from '@agents/jangar-api'
import { CustomResourceDefinitionKind, type KubeClient, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkUnreconciled } from './check-unreconciled.ts'
import { startTestCluster } from './testing/test-cluster.ts'

const namespace = 'default'
/** As if no controller reconciled them. */
const kinds = [artifact, budget] as const
let client: KubeClient
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ client, stop } = await startTestCluster(startApiServer))
})

afterAll(() => stop?.())

function check() {
  const { signal } = new AbortController()
  return checkUnreconciled({ client, namespace, signal, kinds })
}

describe('doctor, about kinds that no controller reconciles', () => {
  test('has nothing to report if they are not installed, or have no objects', async () => {
    expect(await check()).toMatchObject({ verdict: 'good' })
    for (const kind of kinds) {
      await client.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
    }
    expect(await check()).toMatchObject({ verdict: 'good' })
  })

  test('names the kinds that are in use', async () => {
    const [kind] = kinds
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
