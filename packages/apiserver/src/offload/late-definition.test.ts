import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { widgetDefinition } from '../endpoints/testing/test-server.ts'
import { type ApiServer, startApiServer } from '../server.ts'

let server: ApiServer

beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger })
})

afterAll(() => server.stop())

function create(path: string, object: object): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const body = Buffer.from(JSON.stringify(object))
    const headers = {
      Authorization: `Bearer ${server.adminToken}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    }
    const options = { method: 'POST', ca: server.caCertificate, headers }
    const sent = request(server.url + path, options, async (response) => {
      resolve({ code: response.statusCode ?? 0, text: await text(response) })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Enough values that the object is processed by the request thread. */
const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, 'x']))

test('a kind whose definition is created after the request thread has started', async () => {
  const data = await create('/api/v1/namespaces/default/configmaps', {
    metadata: { name: 'large' },
    data: many,
  })
  expect(data.code, data.text.slice(0, 300)).toBe(201)
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const defined = await create(definitions, widgetDefinition())
  expect(defined.code, defined.text.slice(0, 300)).toBe(201)
  const widget = await create('/apis/example.dev/v1/namespaces/default/widgets', {
    apiVersion: 'example.dev/v1',
    kind: 'Widget',
    metadata: { name: 'large', annotations: many },
  })
  expect(widget.code, widget.text.slice(0, 300)).toBe(201)
})
