import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createWidget,
  metadataOf,
  startWidgetServer,
  type TestServer,
  widgets,
} from '../endpoints/testing/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startWidgetServer()
})

afterAll(() => server.stop())

describe('status and scale', () => {
  test('the main resource does not change the status, and /status nothing else', async () => {
    const created = await createWidget(server, 'parts')
    const status = await server.send('PUT', `${widgets}/parts/status`, {
      ...created,
      spec: { size: 99 },
      status: { ready: true },
      metadata: { ...metadataOf(created), labels: { not: 'kept' } },
    })
    expect(status.body).toMatchObject({ spec: { size: 1 }, status: { ready: true } })
    expect(metadataOf(status.body).labels).toBeUndefined()
    expect(metadataOf(status.body).generation).toBe(1)
    const main = await server.send('PUT', `${widgets}/parts`, {
      ...status.body,
      spec: { size: 2 },
      status: { ready: false },
    })
    expect(main.body).toMatchObject({ spec: { size: 2 }, status: { ready: true } })
  })

  test('scale is a view of the replicas', async () => {
    await createWidget(server, 'scaled', { spec: { replicas: 2 } })
    const seen = await server.send('GET', `${widgets}/scaled/scale`)
    expect(seen.body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'scaled', namespace: 'default' },
      spec: { replicas: 2 },
      status: { replicas: 0 },
    })
    const patched = await server.send(
      'PATCH',
      `${widgets}/scaled/scale`,
      { spec: { replicas: 7 } },
      { 'Content-Type': 'application/merge-patch+json' },
    )
    expect(patched.body).toMatchObject({ kind: 'Scale', spec: { replicas: 7 } })
    expect((await server.send('GET', `${widgets}/scaled`)).body).toMatchObject({
      spec: { replicas: 7 },
      metadata: { generation: 2 },
    })
  })
})
