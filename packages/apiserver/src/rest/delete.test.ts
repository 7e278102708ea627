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

describe('delete', () => {
  test('an object without finalizers is deleted immediately', async () => {
    const created = await createWidget(server, 'gone')
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

  test('an object with a finalizer is kept until it is removed, and gets no new ones', async () => {
    await createWidget(server, 'held', {}, { finalizers: ['example.dev/hold'] })
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
  ])('$policy sets a finalizer of the garbage collector', async ({ policy, finalizer }) => {
    const name = policy.toLowerCase()
    await createWidget(server, name)
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
      because: 'the propagation policy must be known',
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

  test('deletecollection deletes the selected objects', async () => {
    await createWidget(server, 'one', {}, { labels: { batch: 'x' } })
    await createWidget(server, 'two', {}, { labels: { batch: 'x' } })
    await createWidget(server, 'three', {}, { labels: { batch: 'y' } })
    const { body } = await server.send('DELETE', `${widgets}?labelSelector=batch%3Dx`)
    expect(body.kind).toBe('WidgetList')
    const left = await server.send('GET', `${widgets}?labelSelector=batch`)
    expect(
      (left.body.items as { metadata: { name: string } }[]).map((item) => item.metadata.name),
    ).toEqual(['three'])
  })

  test.each([
    { of: 'one object', target: `${widgets}/tried` },
    { of: 'a collection', target: widgets },
  ])('a dry run changes nothing: of $of', async ({ target }) => {
    await server.send('POST', widgets, {
      ...widget('tried'),
      metadata: { name: 'tried', finalizers: ['example.dev/hold'] },
    })
    const before = (await server.send('GET', `${widgets}/tried`)).body
    for (const policy of ['Orphan', 'Foreground', 'Background']) {
      const query = `dryRun=All&propagationPolicy=${policy}`
      expect((await server.send('DELETE', `${target}?${query}`)).status).toBe(200)
    }
    // Printed from the parsed value, unlike the answer below, which is the stored text.
    expect((await server.send('GET', `${widgets}/tried?pretty=true`)).body).toEqual(before)
    expect((await server.send('GET', `${widgets}/tried`)).body).toEqual(before)
  })
})
