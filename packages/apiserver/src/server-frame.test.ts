import type { Json } from '@agents/crd'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  definitions,
  lenientRules,
  startTestServer,
  type TestServer,
  widget,
  widgetDefinition,
  widgets,
} from './endpoints/testing/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(lenientRules)
  expect((await server.send('POST', definitions, widgetDefinition())).status).toBe(201)
})

afterAll(async () => {
  await server.stop()
})

type Metadata = Record<string, Json> & { resourceVersion: string; uid: string; generation: number }

const metadataOf = (body: Record<string, Json>) => body.metadata as Metadata

async function create(name: string, rest: object = {}, metadata: object = {}) {
  const { status, body } = await server.send('POST', widgets, widget(name, rest, metadata))
  expect(status).toBe(201)
  return body
}

describe('create', () => {
  test('system metadata is set by the server alone', async () => {
    const body = await create(
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

  test('a dry run answers and keeps nothing', async () => {
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
      because: 'a resourceVersion makes no sense on create',
      body: widget('x', {}, { resourceVersion: '5' }),
      code: 500,
      message: 'resourceVersion should not be set on objects to be created',
    },
    {
      because: 'label values have rules',
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
    await create('twice')
    const { status, body } = await server.send('POST', widgets, widget('twice'))
    expect(status).toBe(409)
    expect(body).toMatchObject({
      reason: 'AlreadyExists',
      message: 'widgets.example.dev "twice" already exists',
      details: { name: 'twice', group: 'example.dev', kind: 'widgets' },
    })
  })
})

describe('update', () => {
  test('a change of the spec moves generation and version, a second time nothing', async () => {
    const created = await create('put')
    const next = { ...created, spec: { size: 2 } }
    const first = await server.send('PUT', `${widgets}/put`, next)
    expect(first.status).toBe(200)
    expect(metadataOf(first.body).generation).toBe(2)
    const again = await server.send('PUT', `${widgets}/put`, first.body)
    expect(metadataOf(again.body).resourceVersion).toBe(metadataOf(first.body).resourceVersion)
    expect(server.environment.store.revision).toBe(Number(metadataOf(first.body).resourceVersion))
  })

  test('a stale version conflicts', async () => {
    const created = await create('stale')
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
    const created = await create('uid')
    const { body } = await server.send('PUT', `${widgets}/uid`, {
      ...created,
      metadata: { ...metadataOf(created), uid: 'another' },
    })
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' })
    expect(body.message).toContain(
      'Precondition failed: UID in precondition: another, UID in object meta: ',
    )
  })

  test('what is not there cannot be replaced', async () => {
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
  ])('$type changes what it names', async ({ type, patch }) => {
    const name = `patch-${type.slice(0, 4)}`
    await create(name)
    const { status, body } = await server.send('PATCH', `${widgets}/${name}`, patch, {
      'Content-Type': `application/${type}`,
    })
    expect(status).toBe(200)
    expect(body.spec).toEqual({ size: 5 })
    expect(metadataOf(body).labels).toEqual({ a: 'b' })
    expect(metadataOf(body).generation).toBe(2)
  })

  test('an unknown patch type is told what is known', async () => {
    await create('untyped')
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

  test('a version in the patch guards it', async () => {
    await create('guarded')
    const { body } = await server.send(
      'PATCH',
      `${widgets}/guarded`,
      { metadata: { resourceVersion: '1' }, spec: { size: 9 } },
      { 'Content-Type': 'application/merge-patch+json' },
    )
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' })
  })
})

describe('status and scale', () => {
  test('the main resource leaves the status alone, /status everything else', async () => {
    const created = await create('parts')
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
    await create('scaled', { spec: { replicas: 2 } })
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

describe('delete', () => {
  test('what nothing holds is gone at once', async () => {
    const created = await create('gone')
    const { status, body } = await server.send('DELETE', `${widgets}/gone`)
    expect(status).toBe(200)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name: 'gone',
        group: 'example.dev',
        kind: 'widgets',
        uid: metadataOf(created).uid,
      },
    })
    expect((await server.send('DELETE', `${widgets}/gone`)).status).toBe(404)
  })

  test('a finalizer holds the object until it is removed, and no other may come', async () => {
    await create('held', {}, { finalizers: ['example.dev/hold'] })
    const deleted = await server.send('DELETE', `${widgets}/held`, {
      propagationPolicy: 'Background',
    })
    expect(metadataOf(deleted.body)).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 0 })
    expect(metadataOf(deleted.body).deletionTimestamp).toBeTruthy()

    const merge = { 'Content-Type': 'application/merge-patch+json' }
    const more = await server.send(
      'PATCH',
      `${widgets}/held`,
      { metadata: { finalizers: ['example.dev/hold', 'example.dev/more'] } },
      merge,
    )
    expect(more.body).toMatchObject({
      code: 422,
      message:
        'Widget.example.dev "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.dev/more"}',
    })
    const released = await server.send(
      'PATCH',
      `${widgets}/held`,
      { metadata: { finalizers: null } },
      merge,
    )
    expect(released.status).toBe(200)
    expect((await server.send('GET', `${widgets}/held`)).status).toBe(404)
  })

  test.each([
    { policy: 'Foreground', finalizer: 'foregroundDeletion' },
    { policy: 'Orphan', finalizer: 'orphan' },
  ])('$policy leaves work for the garbage collector', async ({ policy, finalizer }) => {
    const name = policy.toLowerCase()
    await create(name)
    const { body } = await server.send('DELETE', `${widgets}/${name}`, {
      propagationPolicy: policy,
    })
    expect(metadataOf(body).finalizers).toEqual([finalizer])
  })

  test.each([
    {
      because: 'a wrong uid is a conflict',
      options: { preconditions: { uid: 'x' } },
      code: 409,
      message:
        /^Operation cannot be fulfilled on Widget.example.dev "kept": the UID in the precondition \(x\) does not match the UID in record \([0-9a-f-]+\). The object might have been deleted and then recreated$/,
    },
    {
      because: 'a wrong version is a conflict',
      options: { preconditions: { resourceVersion: '1' } },
      code: 409,
      message:
        /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record \(\d+\). The object might have been modified$/,
    },
    {
      because: 'policies are a closed list',
      options: { propagationPolicy: 'Sideways' },
      code: 422,
      message:
        /^DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"$/,
    },
  ])('$because', async ({ options, code, message }) => {
    await server.send('POST', widgets, widget('kept'))
    const { body } = await server.send('DELETE', `${widgets}/kept`, options)
    expect(body.code).toBe(code)
    expect(body.message).toMatch(message)
  })

  test('deletecollection takes what the selector matches', async () => {
    await create('one', {}, { labels: { batch: 'x' } })
    await create('two', {}, { labels: { batch: 'x' } })
    await create('three', {}, { labels: { batch: 'y' } })
    const { body } = await server.send('DELETE', `${widgets}?labelSelector=batch%3Dx`)
    expect(body.kind).toBe('WidgetList')
    const left = await server.send('GET', `${widgets}?labelSelector=batch`)
    expect(
      (left.body.items as { metadata: { name: string } }[]).map((item) => item.metadata.name),
    ).toEqual(['three'])
  })
})
