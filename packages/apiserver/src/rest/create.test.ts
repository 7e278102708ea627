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

describe('create', () => {
  test('system metadata is set by the server only', async () => {
    const body = await createWidget(
      server,
      'system',
      { status: { a: 1 } },
      {
        uid: 'mine',
        creationTimestamp: '2001-01-01T00:00:00Z',
        generation: 7,
        selfLink: '/x',
        deletionGracePeriodSeconds: 3,
      },
    )
    const metadata = metadataOf(body)
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(metadata.generation).toBe(1)
    expect(metadata.namespace).toBe('default')
    expect(metadata.creationTimestamp).not.toBe('2001-01-01T00:00:00Z')
    expect(Object.keys(metadata)).not.toContain('selfLink')
    expect(Object.keys(metadata)).not.toContain('deletionGracePeriodSeconds')
    expect(body.status).toBeUndefined()
  })

  test('generateName appends five letters of the safe alphabet', async () => {
    const { body } = await server.send('POST', widgets, {
      ...widget(''),
      metadata: { generateName: 'gen-' },
    })
    expect(metadataOf(body).name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  })

  test('a dry run stores nothing', async () => {
    const { status, body } = await server.send('POST', `${widgets}?dryRun=All`, widget('dry'))
    expect(status).toBe(201)
    expect(metadataOf(body).uid).toBeTruthy()
    expect((await server.send('GET', `${widgets}/dry`)).status).toBe(404)
  })

  test.each([
    {
      because: 'a name must be a DNS subdomain',
      body: widget('Upper_Case'),
      code: 422,
      message:
        "Widget.example.dev \"Upper_Case\" is invalid: metadata.name: Invalid value: \"Upper_Case\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    },
    {
      because: 'a name or generateName is required',
      body: { ...widget('x'), metadata: {} },
      code: 422,
      message:
        'Widget.example.dev "" is invalid: metadata.name: Required value: name or generateName is required',
    },
    {
      because: 'the kind must be the one of the path',
      body: { ...widget('x'), kind: 'Gadget' },
      code: 422,
      message: 'Gadget.example.dev "x" is invalid: kind: Invalid value: "Gadget": must be Widget',
    },
    {
      because: 'the version must be the one of the path',
      body: { ...widget('x'), apiVersion: 'example.dev/v2' },
      code: 400,
      message:
        'the API version in the data (example.dev/v2) does not match the expected API version (example.dev/v1)',
    },
    {
      because: 'the namespace must be the one of the path',
      body: widget('x', {}, { namespace: 'other' }),
      code: 400,
      message:
        'the namespace of the provided object does not match the namespace sent on the request',
    },
    {
      because: 'a resourceVersion must not be set on create',
      body: widget('x', {}, { resourceVersion: '5' }),
      code: 500,
      message: 'resourceVersion should not be set on objects to be created',
    },
    {
      because: 'label values are validated',
      body: widget('x', {}, { labels: { a: 'no spaces' } }),
      code: 422,
      message:
        "Widget.example.dev \"x\" is invalid: metadata.labels: Invalid value: \"no spaces\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    },
  ])('$because', async ({ body, code, message }) => {
    const answer = await server.send('POST', widgets, body)
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code, message })
    expect(answer.status).toBe(code)
  })

  test('an existing name conflicts', async () => {
    await createWidget(server, 'twice')
    const { status, body } = await server.send('POST', widgets, widget('twice'))
    expect(status).toBe(409)
    expect(body).toMatchObject({
      reason: 'AlreadyExists',
      message: 'widgets.example.dev "twice" already exists',
      details: { name: 'twice', group: 'example.dev', kind: 'widgets' },
    })
  })
})
