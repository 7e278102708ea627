import { startApiServer } from '@agents/apiserver'
import { customResourceDefinition } from '@agents/crd'
import { type Schedule, schedule } from '@agents/jangar-api'
import { CustomResourceDefinitionKind, type KubeClient, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkNeglected } from './check-neglected.ts'
import { startTestCluster } from './testing/test-cluster.ts'

const namespace = 'default'
const schedules = kindRef<Schedule>(schedule)
let client: KubeClient
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ client, stop } = await startTestCluster(startApiServer))
})

afterAll(() => stop?.())

function check(laterMs = 0) {
  const now = () => new Date(Date.now() + laterMs)
  return checkNeglected({ client, namespace, now, signal: new AbortController().signal })
}

describe('doctor, about a controller that is switched off', () => {
  test('has nothing to report if no kinds are installed', async () => {
    expect(await check()).toMatchObject({ verdict: 'good' })
  })

  test('names objects that nothing has reconciled for long, and the setting', async () => {
    await client.create(CustomResourceDefinitionKind, customResourceDefinition(schedule))
    const tick = {
      metadata: { name: 'tick', namespace },
      spec: { cron: '@daily', targetRef: { kind: 'AgentRun', name: 'model' } },
    }
    await expect
      .poll(
        () =>
          client.create(schedules, tick as never).then(
            () => true,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true)
    expect(await check()).toMatchObject({ verdict: 'good' })
    // In a burst, the first status of a run is written after a minute at the latest.
    expect(await check(65_000)).toMatchObject({ verdict: 'good' })
    const { verdict, says, advice } = await check(120_000)
    expect(verdict).toBe('bad')
    expect(says).toMatch(/: Schedule \(such as default\/tick\)$/)
    expect(advice?.join()).toContain('JANGAR_SUPPORTING_CONTROLLER_ENABLED')
  })

  test('has nothing to report once it was reconciled', async () => {
    const body = { status: { observedGeneration: 1 } }
    const patch = { type: 'merge', body } as const
    const key = { namespace, name: 'tick' }
    await client.patch(schedules, key, patch, { subresource: 'status' })
    expect(await check(120_000)).toMatchObject({ verdict: 'good' })
  })
})
