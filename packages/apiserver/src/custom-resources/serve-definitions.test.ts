import type { Json } from '@agents/crd'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  definitions,
  startWidgetServer,
  type TestServer,
  widget,
  widgetDefinition,
} from '../endpoints/testing/test-server.ts'

/** Polls for the result of background work. */
const pollOptions = { timeout: 50_000 }

let server: TestServer

beforeAll(async () => {
  server = await startWidgetServer()
})

afterAll(async () => {
  await server.stop()
})

function metadataOf(body: Record<string, Json>) {
  return body.metadata as Record<string, Json>
}

describe('definitions', () => {
  test('a definition is established and its names are accepted in the response', async () => {
    const { body } = await server.send('GET', `${definitions}/widgets.example.dev`)
    expect(body).toMatchObject({
      spec: {
        names: { singular: 'widget', listKind: 'WidgetList' },
        conversion: { strategy: 'None' },
      },
      status: {
        acceptedNames: {
          plural: 'widgets',
          singular: 'widget',
          kind: 'Widget',
          listKind: 'WidgetList',
          shortNames: ['wd'],
        },
        storedVersions: ['v1'],
        conditions: [
          { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
          { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
        ],
      },
    })
  })

  test('deleting a definition deletes its objects, then itself', async () => {
    const path = '/apis/example.dev/v1/namespaces/default/gizmos'
    await server.send('POST', definitions, {
      ...widgetDefinition({ names: { plural: 'gizmos', kind: 'Gizmo' } }),
      metadata: { name: 'gizmos.example.dev' },
    })
    await server.send('POST', path, { ...widget('a'), kind: 'Gizmo' })
    const deleted = await server.send('DELETE', `${definitions}/gizmos.example.dev`)
    expect(metadataOf(deleted.body).finalizers).toEqual([
      'customresourcecleanup.apiextensions.k8s.io',
    ])
    await expect
      .poll(
        async () => (await server.send('GET', `${definitions}/gizmos.example.dev`)).status,
        pollOptions,
      )
      .toBe(404)
    expect((await server.send('GET', path)).status).toBe(404)
    expect(server.environment.store.list('/example.dev/gizmos/').entries).toEqual([])
  })

  test('a name in use is not accepted until it is free', async () => {
    const first = {
      ...widgetDefinition({ names: { plural: 'firsts', kind: 'Same' } }),
      metadata: { name: 'firsts.example.dev' },
    }
    const second = {
      ...widgetDefinition({
        names: { plural: 'seconds', kind: 'Same', singular: 'second', listKind: 'SecondList' },
      }),
      metadata: { name: 'seconds.example.dev' },
    }
    await server.send('POST', definitions, first)
    const refused = await server.send('POST', definitions, second)
    expect(refused.body.status).toMatchObject({
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'False',
          reason: 'KindConflict',
          message: '"Same" is already in use',
        },
        { type: 'Established', status: 'False', reason: 'NotAccepted' },
      ],
    })
    const path = '/apis/example.dev/v1/namespaces/default/seconds'
    expect((await server.send('GET', path)).status).toBe(404)
    await server.send('DELETE', `${definitions}/firsts.example.dev`)
    await expect.poll(async () => (await server.send('GET', path)).status, pollOptions).toBe(200)
  })
})
