import { PodKind, resourcePath } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inDefault, type Platform, podOf, startPlatform, untilObject } from './platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ mounts: 'paths', bindPods: false, runJobs: false })
})
afterAll(() => platform.stop())

function create(name: string) {
  return platform.client.create(PodKind, podOf({ name, script: 'true' }))
}

function bind(name: string, node: string) {
  return platform.client.request({
    method: 'POST',
    path: resourcePath(PodKind, { ...inDefault(name), subresource: 'binding' }),
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: inDefault(name),
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    },
  })
}

test('a node next to a scheduler runs only the pods that are bound to it', async () => {
  await create('elsewhere')
  await bind('elsewhere', 'another')
  await create('waiting')
  await create('here')
  await bind('here', platform.node.nodeName)
  const over = await untilObject(
    platform.client,
    PodKind,
    inDefault('here'),
    ({ status }) => status?.phase === 'Succeeded',
  )
  expect(over.spec.nodeName).toBe(platform.node.nodeName)
  // They were created first, so that they would have started by now.
  for (const name of ['elsewhere', 'waiting']) {
    const { status } = await platform.client.get(PodKind, inDefault(name))
    expect(status?.containerStatuses ?? []).toEqual([])
    await platform.client.delete(PodKind, inDefault(name), { gracePeriodSeconds: 0 })
  }
})
