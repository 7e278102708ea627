import type { ManagedFieldsEntry } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFieldManager } from '../apply/create-field-manager.ts'
import {
  type Answer,
  definitions,
  lenientRules,
  metadataOf,
  startTestServer,
  type TestServer,
  widgetDefinition,
  widgets,
} from '../endpoints/testing/test-server.ts'

const first = '2030-01-01T00:00:10Z'
const second = '2030-01-01T00:00:11Z'
const third = '2030-01-01T00:00:12Z'
let server: TestServer
let now: string = first

beforeAll(async () => {
  const parts = { fieldManager: createFieldManager() }
  server = await startTestServer(lenientRules, parts, () => new Date(now))
  await server.send('POST', definitions, widgetDefinition())
})

afterAll(() => server.stop())

async function apply(at: string, path: string, fields: object): Promise<Answer> {
  now = at
  const [name] = path.split('/')
  const body = { apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name }, ...fields }
  const type = { 'Content-Type': 'application/apply-patch+yaml' }
  const answer = await server.send('PATCH', `${widgets}/${path}?fieldManager=one`, body, type)
  expect(answer.status).toBeLessThan(300)
  return answer
}

/** One line for each entry: its subresource, if any, and its time. */
function timesOf({ body }: Answer): string[] {
  const entries = metadataOf(body).managedFields as unknown as readonly ManagedFieldsEntry[]
  return entries.map(({ subresource = '', time }) => `${subresource} ${time}`.trim())
}

const spec = { size: 1 }

test('an apply whose only difference is dropped keeps its time and writes nothing', async () => {
  await apply(first, 'dropped', { spec })
  const before = await apply(third, 'dropped/status', { status: { phase: 'x' } })
  const after = await apply(second, 'dropped', { spec, status: { phase: 'ignored' } })
  expect(timesOf(after)).toEqual([first, `status ${third}`])
  expect(after.body).toEqual(before.body)
})

test('an apply keeps its time if both entries would have the same', async () => {
  await apply(first, 'same', { spec })
  await apply(second, 'same/status', { status: { phase: 'x' } })
  const after = await apply(second, 'same', { spec, status: { phase: 'ignored' } })
  expect(timesOf(after)).toEqual([first, `status ${second}`])
})

test('an apply that changes something gets a new time', async () => {
  await apply(first, 'changed', { spec })
  await apply(third, 'changed/status', { status: { phase: 'x' } })
  const after = await apply(second, 'changed', { spec: { size: 2 } })
  expect(timesOf(after)).toEqual([second, `status ${third}`])
})

// As upstream does, which compares the entries one by one.
test('an apply gets a new time if that changes the order of the entries', async () => {
  await apply(first, 'order', { spec })
  await apply(second, 'order/status', { status: { phase: 'x' } })
  const after = await apply(third, 'order', { spec, status: { phase: 'ignored' } })
  expect(timesOf(after)).toEqual([`status ${second}`, third])
})
