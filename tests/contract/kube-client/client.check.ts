import {
  ConfigMapKind,
  CustomResourceDefinitionKind,
  createKubeClient,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isUnauthorized,
  type KubeClient,
  KubeError,
  LeaseKind,
  NamespaceKind,
  SecretKind,
  ServiceAccountKind,
  staticCredentials,
  type WatchEvent,
} from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Subject, startSubject } from '../../support/kube-client/subject.ts'
import {
  createNamespace,
  defineWidgets,
  type Widget,
  widgetKind,
} from '../../support/kube-client/widget.ts'
import { chosenSubjects } from './main/chosen-subjects.ts'

const namespace = 'kube-client'

function at(name: string) {
  return { namespace, name }
}

describe.each(await chosenSubjects())('the client on the %s server', (name) => {
  let subject: Subject
  let client: KubeClient

  beforeAll(async () => {
    subject = await startSubject(name)
    client = createKubeClient(await subject.connect(), { userAgent: 'kube-check/1' })
    await createNamespace(client, namespace)
    await defineWidgets(client)
  })
  afterAll(async () => {
    client?.close()
    await subject?.stop()
  })

  const fails = (action: Promise<unknown>): Promise<unknown> =>
    action.then(
      () => 'succeeded',
      (error: unknown) => error,
    )

  test('creates, reads, changes and deletes', async () => {
    const created = await client.create(ConfigMapKind, { metadata: at('a'), data: { a: '1' } })
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } })
    expect(await client.get(ConfigMapKind, at('a'))).toEqual(created)
    const updated = await client.update(ConfigMapKind, { ...created, data: { a: '2' } })
    expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion)
    expect(isConflict(await fails(client.update(ConfigMapKind, created)))).toBe(true)
    expect(isAlreadyExists(await fails(client.create(ConfigMapKind, { metadata: at('a') })))).toBe(
      true,
    )
    expect(await client.delete(ConfigMapKind, at('a'))).toBeUndefined()
    expect(isNotFound(await fails(client.get(ConfigMapKind, at('a'))))).toBe(true)
    expect(isNotFound(await fails(client.delete(ConfigMapKind, at('a'))))).toBe(true)
  })

  test('patches in four ways', async () => {
    await client.create(ConfigMapKind, { metadata: at('p'), data: { a: '1', b: '1' } })
    const merged = await client.patch(ConfigMapKind, at('p'), {
      type: 'merge',
      body: { data: { a: null, c: '1' } },
    })
    expect(merged.data).toEqual({ b: '1', c: '1' })
    const pointed = await client.patch(ConfigMapKind, at('p'), {
      type: 'json',
      body: [
        { op: 'test', path: '/data/b', value: '1' },
        { op: 'add', path: '/data/d', value: '1' },
      ],
    })
    expect(pointed.data).toEqual({ b: '1', c: '1', d: '1' })
    const strategic = await client.patch(ConfigMapKind, at('p'), {
      type: 'strategic',
      body: { data: { $patch: 'replace', only: '1' } },
    })
    expect(strategic.data).toEqual({ only: '1' })
    const fieldManager = 'applier'
    const object = { metadata: at('p'), data: { applied: '1' } }
    const applied = await client.apply(ConfigMapKind, object, { fieldManager })
    expect(applied.data).toEqual({ only: '1', applied: '1' })
    const rival = { fieldManager: 'rival', force: false }
    const other = { metadata: at('p'), data: { applied: '2' } }
    expect(isConflict(await fails(client.apply(ConfigMapKind, other, rival)))).toBe(true)
    const taken = await client.apply(ConfigMapKind, other, { ...rival, force: true })
    expect(taken.data?.applied).toBe('2')
    const stale = { metadata: { resourceVersion: applied.metadata.resourceVersion }, data: {} }
    const guarded = client.patch(ConfigMapKind, at('p'), { type: 'merge', body: stale })
    expect(isConflict(await fails(guarded))).toBe(true)
  })

  test('a dry run stores nothing', async () => {
    await client.create(ConfigMapKind, { metadata: at('dry') }, { dryRun: true })
    expect(isNotFound(await fails(client.get(ConfigMapKind, at('dry'))))).toBe(true)
  })

  test('deletes with preconditions, and returns what remains', async () => {
    const finalizers = ['example.dev/hold']
    const created = await client.create(ConfigMapKind, { metadata: { ...at('held'), finalizers } })
    const wrong = client.delete(ConfigMapKind, at('held'), { preconditions: { uid: 'other' } })
    expect(isConflict(await fails(wrong))).toBe(true)
    const uid = created.metadata.uid ?? ''
    const going = await client.delete(ConfigMapKind, at('held'), {
      preconditions: { uid },
      propagationPolicy: 'Background',
    })
    expect(going?.metadata.deletionTimestamp).toBeTruthy()
    await client.patch(ConfigMapKind, at('held'), {
      type: 'merge',
      body: { metadata: { finalizers: null } },
    })
    expect(isNotFound(await fails(client.get(ConfigMapKind, at('held'))))).toBe(true)
  })

  test('lists in pages, and deletes what a selector finds', async () => {
    const labels = { set: 'pages' }
    for (let n = 0; n < 7; n++) {
      await client.create(ConfigMapKind, { metadata: { ...at(`page-${n}`), labels } })
    }
    const scope = { namespace, labelSelector: 'set=pages' }
    const sizes: number[] = []
    for await (const page of client.pages(ConfigMapKind, { ...scope, limit: 3 })) {
      sizes.push(page.items.length)
      expect(page.items.every(({ kind }) => kind === 'ConfigMap')).toBe(true)
    }
    expect(sizes).toEqual([3, 3, 1])
    await client.deleteCollection(ConfigMapKind, scope)
    expect((await client.list(ConfigMapKind, scope)).items).toEqual([])
  })

  test('writes the status separately, and integers that JavaScript cannot represent', async () => {
    const size = 9_223_372_036_854_775_807n
    const created = await client.create(widgetKind, { metadata: at('big'), spec: { size } })
    expect(created.spec?.size).toBe(size)
    const changed = { ...created, spec: { ...created.spec, text: 'x' } }
    const updated = await client.update(widgetKind, changed)
    expect(updated.spec).toEqual({ size, text: 'x' })
    const status = { ...updated, status: { phase: 'Ready' }, spec: { text: 'ignored' } }
    const written = await client.update(widgetKind, status, { subresource: 'status' })
    expect(written).toMatchObject({ spec: { size, text: 'x' }, status: { phase: 'Ready' } })
  })

  test('reports errors by reason and cause', async () => {
    const refused = await fails(
      client.create(widgetKind, { metadata: at('bad'), spec: { size: -1 } }),
    )
    expect(isInvalid(refused)).toBe(true)
    expect((refused as KubeError).code).toBe(422)
    expect((refused as KubeError).causes).toMatchObject([
      { reason: 'FieldValueInvalid', field: 'spec.size' },
    ])
    const strategic = client.patch(widgetKind, at('big'), { type: 'strategic', body: {} })
    expect(await fails(strategic)).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' })
    const strict = await fails(
      client.create(
        widgetKind,
        { metadata: at('bad'), spec: { unknown: 1 } as Widget['spec'] } as Widget,
        { fieldValidation: 'Strict' },
      ),
    )
    expect(strict).toBeInstanceOf(KubeError)
    expect((strict as KubeError).reason).toBe('BadRequest')
  })

  test('passes warnings on', async () => {
    const heard: string[] = []
    const other = createKubeClient(await subject.connect(), {
      onWarning: (text) => heard.push(text),
    })
    const spec = { unknown: 1 } as Widget['spec']
    await other.create(widgetKind, { metadata: at('warned'), spec } as Widget, {
      fieldValidation: 'Warn',
    })
    other.close()
    expect(heard).toEqual(['unknown field "spec.unknown"'])
  })

  test('watches, starting with the current state', async () => {
    await client.create(ConfigMapKind, { metadata: { ...at('w'), labels: { watch: 'me' } } })
    const stream = await client.watch(ConfigMapKind, {
      namespace,
      labelSelector: 'watch=me',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
      timeoutSeconds: 30,
    })
    const seen: WatchEvent[] = []
    for await (const event of stream) {
      seen.push(event)
      if (event.type === 'BOOKMARK' && event.initialEventsEnd) {
        await client.patch(ConfigMapKind, at('w'), {
          type: 'merge',
          body: { data: { text: 'größer ✓ 漢字' } },
        })
        await client.delete(ConfigMapKind, at('w'))
      }
      if (event.type === 'DELETED') break
    }
    expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK', 'MODIFIED', 'DELETED'])
    expect(seen[2]).toMatchObject({ object: { data: { text: 'größer ✓ 漢字' } } })
  })

  test('watches custom resources without their managed fields, and with all else', async () => {
    const labels = { watch: 'lean' }
    const spec = { text: '"managedFields":[],"name":"x" "uid":"y"' }
    await client.create(widgetKind, { metadata: { ...at('lean'), labels }, spec } as never)
    const first = async (withoutManagedFields: boolean): Promise<Widget> => {
      const options = { namespace, labelSelector: 'watch=lean', timeoutSeconds: 30 }
      const stream = await client.watch(widgetKind, { ...options, withoutManagedFields })
      for await (const event of stream) if (event.type === 'ADDED') return event.object
      throw new Error('the watch ended')
    }
    const { metadata, ...rest } = await first(false)
    const { managedFields, ...lean } = metadata
    expect(managedFields).toHaveLength(1)
    expect(await first(true)).toEqual({ ...rest, metadata: lean })
  })

  test('ends a watch when its signal is aborted', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const stream = await client.watch(ConfigMapKind, { namespace, signal })
    const reading = (async () => {
      for await (const _ of stream) controller.abort(new Error('enough'))
    })()
    const ended = expect(reading).rejects.toThrow('enough')
    await client.create(ConfigMapKind, { metadata: at('wake') })
    await ended
  })

  test('reads large lists compressed', async () => {
    const text = 'x'.repeat(60_000)
    for (let n = 0; n < 5; n++) {
      const metadata = { ...at(`large-${n}`), labels: { large: 'yes' } }
      await client.create(widgetKind, { metadata, spec: { text } })
    }
    const zipped = createKubeClient(await subject.connect(), { acceptGzip: true })
    const scope = { namespace, labelSelector: 'large=yes' }
    const raw = await zipped.request({
      path: `/apis/kube-check.example.dev/v1/namespaces/${namespace}/widgets?labelSelector=large%3Dyes`,
      acceptGzip: true,
    })
    const { items } = await zipped.list(widgetKind, scope)
    zipped.close()
    expect(items.map(({ spec }) => spec?.text)).toEqual(Array(5).fill(text))
    expect(raw.headers['content-encoding']).toBe('gzip')
    expect(raw.bytes.length).toBeGreaterThan(300_000)
  })

  test('discovers what is served', async () => {
    const { discovery } = client
    expect(await discovery.supports({ group: 'batch', version: 'v1', resource: 'jobs' })).toBe(true)
    const widgets = { ...widgetKind, resource: widgetKind.plural }
    expect(await discovery.supports(widgets, { verbs: ['get', 'watch'] })).toBe(true)
    expect(await discovery.supports({ ...widgets, version: 'v7' })).toBe(false)
    expect((await discovery.version()).gitVersion).toMatch(/^v1\.\d+/)
    const served = await discovery.resources()
    const found = served.find(({ resource, group }) => resource === 'widgets' && group !== '')
    expect(found).toMatchObject({ kind: 'Widget', namespaced: true, subresources: ['status'] })
  })

  test('every constant names a resource that is served', async () => {
    const served = await client.discovery.resources()
    for (const kind of [
      ConfigMapKind,
      SecretKind,
      LeaseKind,
      NamespaceKind,
      ServiceAccountKind,
      CustomResourceDefinitionKind,
    ]) {
      const found = served.find(
        ({ group, version, resource }) =>
          group === kind.group && version === kind.version && resource === kind.plural,
      )
      expect(found, kind.kind).toMatchObject({ kind: kind.kind, namespaced: kind.namespaced })
    }
  })

  test('reviews tokens and access', async () => {
    await client.create(ServiceAccountKind, { metadata: at('robot') })
    const { token, expirationTimestamp } = await client.createToken(at('robot'), {
      expirationSeconds: 600,
    })
    expect(Date.parse(expirationTimestamp)).toBeGreaterThan(Date.now())
    const user = `system:serviceaccount:${namespace}:robot`
    const review = await client.reviewToken(token)
    expect(review).toMatchObject({ authenticated: true, user: { username: user } })
    expect((await client.reviewToken('nonsense')).authenticated ?? false).toBe(false)

    const connection = await subject.connect()
    const credentials = staticCredentials({ authorization: `Bearer ${token}` })
    const robot = createKubeClient({ ...connection, credentials })
    expect((await robot.whoAmI()).username).toBe(user)
    const list = { verb: 'list', resource: 'secrets', namespace }
    expect((await robot.reviewOwnAccess({ resourceAttributes: list })).allowed).toBe(false)
    expect(isForbidden(await fails(robot.list(SecretKind, { namespace })))).toBe(true)
    robot.close()

    expect((await client.reviewOwnAccess({ resourceAttributes: list })).allowed).toBe(true)
    const asked = await client.reviewAccess({ user, resourceAttributes: list })
    expect(asked.allowed).toBe(false)

    const acting = createKubeClient({ ...connection, impersonate: { user: 'somebody' } })
    expect((await acting.whoAmI()).username).toBe('somebody')
    acting.close()
    const nobody = staticCredentials({ authorization: 'Bearer nonsense' })
    const stranger = createKubeClient({ ...connection, credentials: nobody })
    expect(isUnauthorized(await fails(stranger.list(SecretKind)))).toBe(true)
    stranger.close()
  })

  test('rejects a server certificate that it cannot verify, without a retry', async () => {
    const { tls: _, ...connection } = await subject.connect()
    const outcomes: string[] = []
    const trusting = createKubeClient(connection, { onRequest: ({ code }) => outcomes.push(code) })
    const error = await fails(trusting.list(ConfigMapKind))
    trusting.close()
    expect(error).toBeInstanceOf(KubeError)
    expect((error as KubeError).code).toBe(0)
    expect(outcomes).toEqual(['<error>'])
    const careless = createKubeClient({ ...connection, tls: { insecureSkipVerify: true } })
    expect((await careless.list(ConfigMapKind, { namespace })).kind).toBe('ConfigMapList')
    careless.close()
  })
})
