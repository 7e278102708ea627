import { startApiServer } from '@agents/apiserver'
import { budget } from '@agents/jangar-api'
import { createInformers, createKubeClient, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, startTestApi } from './testing/test-api.ts'

const plane = '/api/agents/control-plane'
/** Its caches never fill: nothing listens there. */
const unreachable = createKubeClient({ server: 'https://127.0.0.1:1', namespace: 'default' })
const informers = createInformers(unreachable)
let api: Awaited<ReturnType<typeof startTestApi>>

beforeAll(async () => {
  api = await startTestApi(startApiServer, { namespaces: ['red'], informers })
  for (const namespace of ['red', 'blue']) {
    await api.admin.create(kindRef<KubeObject>(budget), {
      ...{ apiVersion: 'budgets.proompteng.ai/v1alpha1', kind: 'Budget' },
      ...{ metadata: { name: 'shared', namespace }, spec: { limits: { tokens: '1' } } },
    } as KubeObject)
  }
}, 120_000)

afterAll(async () => {
  await informers.stop()
  await api?.stop()
  unreachable.close()
})

function pathsOf(namespace: string): string[] {
  return [
    `${plane}/summary?namespace=${namespace}`,
    `${plane}/stream?namespace=${namespace}`,
    `/v1/objects/budgets.budgets.proompteng.ai/${namespace}/shared/referrers`,
  ]
}

test.each(pathsOf('red'))('GET %s says that the runs are not known yet', async (path) => {
  const { status, headers } = await api.ask(path, { token: api.adminToken })
  expect([status, headers['retry-after']]).toEqual([503, '1'])
})

test.each(pathsOf('blue'))('GET %s says that the namespace is not watched', async (path) => {
  const { status, text } = await api.ask(path, { token: api.adminToken })
  expect(status).toBe(404)
  expect(text).toContain('namespace blue is not one of this control plane')
})

test('who may not list runs learns nothing about the namespaces', async () => {
  const token = await account(api.admin, 'blue', 'nobody', [])
  for (const path of pathsOf('blue')) {
    expect((await api.ask(path, { token })).status).toBe(403)
  }
})
