import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createWidget,
  metadataOf,
  startWidgetServer,
  type TestServer,
  widget,
  widgets,
} from '../endpoints/testing/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startWidgetServer()
})

afterAll(() => server.stop())

describe('update', () => {
  test('a change of the spec increases generation and resourceVersion, the same again does not', async () => {
    const created = await createWidget(server, 'put')
    const next = { ...created, spec: { size: 2 } }
    const first = await server.send('PUT', `${widgets}/put`, next)
    expect(first.status).toBe(200)
    expect(metadataOf(first.body).generation).toBe(2)
    const again = await server.send('PUT', `${widgets}/put`, first.body)
    expect(metadataOf(again.body).resourceVersion).toBe(metadataOf(first.body).resourceVersion)
    expect(server.environment.store.revision).toBe(Number(metadataOf(first.body).resourceVersion))
  })

  test('a stale version conflicts', async () => {
    const created = await createWidget(server, 'stale')
    await server.send('PUT', `${widgets}/stale`, { ...created, spec: { size: 2 } })
    const { status, body } = await server.send('PUT', `${widgets}/stale`, {
      ...created,
      spec: { size: 3 },
    })
    expect(status).toBe(409)
    expect(body).toMatchObject({
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on widgets.example.dev "stale": the object has been modified; please apply your changes to the latest version and try again',
    })
  })

  test.each([
    {
      because: 'custom resources need a version',
      change: { metadata: { name: 'rules' } },
      code: 422,
      message:
        'widgets.example.dev "rules" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    },
    {
      because: 'the name must be the one of the path',
      change: { metadata: { name: 'other' } },
      code: 400,
      message: 'the name of the object (other) does not match the name on the URL (rules)',
    },
  ])('$because', async ({ change, code, message }) => {
    await server.send('POST', widgets, widget('rules'))
    const answer = await server.send('PUT', `${widgets}/rules`, { ...widget('rules'), ...change })
    expect(answer.body).toMatchObject({ code, message })
  })

  test('the uid is a precondition', async () => {
    const created = await createWidget(server, 'uid')
    const { body } = await server.send('PUT', `${widgets}/uid`, {
      ...created,
      metadata: { ...metadataOf(created), uid: 'another' },
    })
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' })
    expect(body.message).toContain(
      'Precondition failed: UID in precondition: another, UID in object meta: ',
    )
  })

  test('an object that does not exist cannot be replaced', async () => {
    const { body } = await server.send('PUT', `${widgets}/nobody`, widget('nobody'))
    expect(body).toMatchObject({ code: 404, message: 'widgets.example.dev "nobody" not found' })
  })
})

describe('patch', () => {
  test.each([
    { type: 'merge-patch+json', patch: { spec: { size: 5 }, metadata: { labels: { a: 'b' } } } },
    {
      type: 'json-patch+json',
      patch: [
        { op: 'replace', path: '/spec/size', value: 5 },
        { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
      ],
    },
  ])('$type changes the fields that it names', async ({ type, patch }) => {
    const name = `patch-${type.slice(0, 4)}`
    await createWidget(server, name)
    const { status, body } = await server.send('PATCH', `${widgets}/${name}`, patch, {
      'Content-Type': `application/${type}`,
    })
    expect(status).toBe(200)
    expect(body.spec).toEqual({ size: 5 })
    expect(metadataOf(body).labels).toEqual({ a: 'b' })
    expect(metadataOf(body).generation).toBe(2)
  })

  test('an unknown patch type is rejected with the supported ones', async () => {
    await createWidget(server, 'untyped')
    const { body } = await server.send(
      'PATCH',
      `${widgets}/untyped`,
      {},
      {
        'Content-Type': 'application/strategic-merge-patch+json',
      },
    )
    expect(body).toMatchObject({
      code: 415,
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json',
    })
  })

  test('a resourceVersion in the patch is a precondition', async () => {
    await createWidget(server, 'guarded')
    const { body } = await server.send(
      'PATCH',
      `${widgets}/guarded`,
      { metadata: { resourceVersion: '1' }, spec: { size: 9 } },
      { 'Content-Type': 'application/merge-patch+json' },
    )
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' })
  })
})
