import { startApiServer } from '@agents/apiserver'
import { DeploymentKind, type KubeClient, LeaseKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkControllers } from './check-controllers.ts'
import type { Examined } from './examined.ts'
import { startTestCluster } from './testing/test-cluster.ts'

const namespace = 'default'
/** As the chart names it in a release called `platform`. */
const name = 'platform-agents-controllers'
let client: KubeClient
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ client, stop } = await startTestCluster(startApiServer))
})

afterAll(() => stop?.())

function check(controllers?: Examined['controllers'], laterMs = 0) {
  const now = () => new Date(Date.now() + laterMs)
  const { signal } = new AbortController()
  return checkControllers({ client, namespace, now, signal, controllers })
}

async function deploy(deployment: string, env: readonly object[]): Promise<void> {
  const labels = { 'app.kubernetes.io/component': 'controllers' }
  await client.create(DeploymentKind, {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: deployment, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'x', image: 'x', env }] } },
    },
  } as never)
}

describe('doctor, about controllers', () => {
  test('says that none has run if there is neither a Lease nor a Deployment', async () => {
    const { verdict, says } = await check()
    expect(verdict).toBe('bad')
    expect(says).toContain('no controller has ever run here')
  })

  test('reads the Lease that the process knows', async () => {
    expect(await check({ lease: { namespace, name } })).toMatchObject({
      verdict: 'bad',
      says: `the Lease default/${name} does not exist: no controller has ever run here`,
    })
  })

  test('finds the Lease that the Deployment of a chart names', async () => {
    await deploy('other', [])
    await deploy('platform', [{ name: 'JANGAR_LEADER_ELECTION_LEASE_NAME', value: name }])
    expect((await check()).says).toContain(`default/${name} does not exist`)
    await client.create(LeaseKind, {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } },
      spec: {
        holderIdentity: 'pod-1',
        leaseDurationSeconds: 15,
        renewTime: new Date().toISOString().replace('Z', '000Z'),
      },
    } as never)
    const good = { verdict: 'good', says: `pod-1 is running (Lease default/${name})` }
    expect(await check()).toMatchObject(good)
    expect(await check({ lease: { namespace, name } })).toMatchObject(good)
  })

  test('says that no controller is running if nobody renews the Lease', async () => {
    const { verdict, says } = await check(undefined, 60_000)
    expect(verdict).toBe('bad')
    expect(says).toMatch(/has not been renewed since .*: no controller is running$/)
  })

  test('does not judge controllers that hold no Lease', async () => {
    expect(await check('unelected')).toMatchObject({
      verdict: 'doubtful',
      says: expect.stringContaining('without leader election'),
    })
    await client.delete(DeploymentKind, { namespace, name: 'platform' })
    await deploy('alone', [
      { name: 'JANGAR_LEADER_ELECTION_LEASE_NAME', value: name },
      { name: 'JANGAR_LEADER_ELECTION_ENABLED', value: 'false' },
    ])
    expect(await check()).toMatchObject({ verdict: 'doubtful' })
    expect(await check({ pid: 7 })).toMatchObject({
      ...{ verdict: 'good', says: 'running in process 7' },
    })
  })
})
