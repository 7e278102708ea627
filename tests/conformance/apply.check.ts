import type { Json } from '@agents/crd'
import { beforeAll, describe, expect } from 'vitest'
import type { Answer } from './client.ts'
import { conformance } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

type Fields = { [key: string]: Json }
const applied = { type: 'application/apply-patch+yaml' }

conformance('apply', (suite) => {
  const { client, namespace, group, same, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const map = (name: string, data?: Fields, metadata: Fields = {}): Fields => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    ...(data && { data }),
  })
  const applyMap = (manager: string, name: string, data?: Fields, query = ''): Promise<Answer> =>
    client.send(
      'PATCH',
      `${maps}/${name}?fieldManager=${manager}${query}`,
      map(name, data),
      applied,
    )

  beforeAll(() => serve(client, fullWidgetDefinition(group)))

  describe('what apply accepts', () => {
    sameEach([
      ['a manager is required', 422, 'PATCH', `${maps}/a`, map('a'), applied],
      [
        'an object that is not there is created',
        201,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        map('made', { a: '1' }),
        applied,
      ],
      [
        'a custom resource that is not there is created',
        201,
        'PATCH',
        `${path}/made?fieldManager=one`,
        widget('made', { spec: { size: 1 } }),
        applied,
      ],
      [
        'managed fields may not be sent',
        400,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        map('made', {}, { managedFields: [{ manager: 'x' }] }),
        applied,
      ],
      [
        'the name of the body must be that of the path',
        400,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        map('other'),
        applied,
      ],
      [
        'the name of the body may be left out',
        200,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        { apiVersion: 'v1', kind: 'ConfigMap' },
        applied,
      ],
      [
        'the kind is required',
        400,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        { apiVersion: 'v1', metadata: { name: 'made' } },
        applied,
      ],
      [
        'the apiVersion is required',
        400,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        { kind: 'ConfigMap', metadata: { name: 'made' } },
        applied,
      ],
      [
        'another kind',
        400,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'made' } },
        applied,
      ],
      [
        'another apiVersion',
        400,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'made' } },
        applied,
      ],
      [
        'another namespace',
        400,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        map('made', {}, { namespace: 'other' }),
        applied,
      ],
      [
        'an unknown field',
        500,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        { ...map('made'), unknown: 1 },
        applied,
      ],
      [
        'an unknown field of a custom resource',
        500,
        'PATCH',
        `${path}/made?fieldManager=one`,
        widget('made', { spec: { unknown: 1 } }),
        applied,
      ],
      [
        'a wrong type',
        500,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        map('made', { a: 1 }),
        applied,
      ],
      [
        'a wrong type of a custom resource',
        500,
        'PATCH',
        `${path}/made?fieldManager=one`,
        widget('made', { spec: { size: 'x' } }),
        applied,
      ],
      [
        'a value out of range',
        422,
        'PATCH',
        `${path}/made?fieldManager=one`,
        widget('made', { spec: { size: 1000 } }),
        applied,
      ],
      [
        'an item twice',
        500,
        'PATCH',
        `${path}/made?fieldManager=one`,
        widget('made', { spec: { tags: ['a', 'a'] } }),
        applied,
      ],
      [
        'a key twice',
        500,
        'PATCH',
        `${path}/made?fieldManager=one`,
        widget('made', { spec: { ports: [{ port: 1 }, { port: 1 }] } }),
        applied,
      ],
      [
        'an item without its key',
        422,
        'PATCH',
        `${path}/made?fieldManager=one`,
        widget('made', { spec: { ports: [{ name: 'x' }] } }),
        applied,
      ],
      ['no YAML', 400, 'PATCH', `${maps}/made?fieldManager=one`, '{{', applied],
      ['a list', 400, 'PATCH', `${maps}/made?fieldManager=one`, '[]', applied],
      [
        'YAML',
        200,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\ndata:\n  a: "1"\n',
        applied,
      ],
      [
        'a key of YAML twice',
        400,
        'PATCH',
        `${maps}/made?fieldManager=one&fieldValidation=Strict`,
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\ndata:\n  a: "1"\n  a: "2"\n',
        applied,
      ],
      [
        'a version that is old',
        409,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        map('made', { a: '1' }, { resourceVersion: '1' }),
        applied,
      ],
      [
        'a uid that is another',
        422,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        map('made', { a: '1' }, { uid: 'other' }),
        applied,
      ],
      [
        'force is true unless it is false',
        200,
        'PATCH',
        `${maps}/made?fieldManager=one&force=perhaps`,
        map('made'),
        applied,
      ],
      [
        'CBOR is not known',
        415,
        'PATCH',
        `${maps}/made?fieldManager=one`,
        'x',
        { type: 'application/apply-patch+cbor' },
      ],
      [
        'a name that is no name',
        422,
        'PATCH',
        `${maps}/Bad_Name?fieldManager=one`,
        map('Bad_Name'),
        applied,
      ],
      [
        'a namespace that is not there',
        404,
        'PATCH',
        `/api/v1/namespaces/no-such/configmaps/a?fieldManager=one`,
        map('a'),
        applied,
      ],
      [
        'status to the object itself',
        201,
        'PATCH',
        `${path}/statuses?fieldManager=one`,
        widget('statuses', { spec: { size: 1 }, status: { phase: 'x' } }),
        applied,
      ],
      [
        'with a uid an object is not created',
        409,
        'PATCH',
        `${maps}/never?fieldManager=one`,
        map('never', {}, { uid: 'some' }),
        applied,
      ],
    ])
  })

  describe('built-ins', () => {
    const labels = { app: 'a' }
    const deployment = (spec: Fields, pod: Fields = {}): Fields => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'app' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: pod },
        ...spec,
      },
    })
    const at = `${deployments}/app?dryRun=All`
    const container = {
      name: 'one',
      image: 'a',
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', value: '1' }],
    }
    beforeAll(async () => {
      const body = deployment({ replicas: 0, paused: true }, { containers: [container] })
      const made = await client.send('PATCH', `${deployments}/app?fieldManager=one`, body, applied)
      expect(made.code, made.text).toBe(201)
    })
    sameEach([
      [
        'a container of another manager is added',
        200,
        'PATCH',
        `${at}&fieldManager=two`,
        deployment({}, { containers: [{ name: 'two', image: 'b' }] }),
        applied,
      ],
      [
        'an image of another manager is a conflict',
        409,
        'PATCH',
        `${at}&fieldManager=two`,
        deployment({}, { containers: [{ name: 'one', image: 'b' }] }),
        applied,
      ],
      [
        'a variable of another manager is added',
        200,
        'PATCH',
        `${at}&fieldManager=two`,
        deployment({}, { containers: [{ name: 'one', env: [{ name: 'B', value: '2' }] }] }),
        applied,
      ],
      [
        'a port is found by number and protocol',
        200,
        'PATCH',
        `${at}&fieldManager=two`,
        deployment(
          {},
          {
            containers: [
              { name: 'one', ports: [{ containerPort: 80, protocol: 'TCP', name: 'web' }] },
            ],
          },
        ),
        applied,
      ],
      [
        'a port without its number',
        422,
        'PATCH',
        `${at}&fieldManager=two`,
        deployment({}, { containers: [{ name: 'one', ports: [{ name: 'web' }] }] }),
        applied,
      ],
      [
        'the only container cannot be given up',
        422,
        'PATCH',
        `${at}&fieldManager=one`,
        deployment({}, { containers: [] }),
        applied,
      ],
      [
        'replicas of another manager',
        409,
        'PATCH',
        `${at}&fieldManager=two`,
        deployment({ replicas: 5 }),
        applied,
      ],
      [
        'replicas of another manager by force',
        200,
        'PATCH',
        `${at}&fieldManager=two&force=true`,
        deployment({ replicas: 5 }),
        applied,
      ],
      [
        'an unknown field of a container',
        500,
        'PATCH',
        `${at}&fieldManager=two`,
        deployment({}, { containers: [{ name: 'one', unknown: 1 }] }),
        applied,
      ],
      [
        'an image that is a number',
        500,
        'PATCH',
        `${at}&fieldManager=two`,
        deployment({}, { containers: [{ name: 'one', image: 5 }] }),
        applied,
      ],
    ])
    same('secrets and accounts', 201, async () => [
      await client.send(
        'PATCH',
        `/api/v1/namespaces/${namespace}/secrets/s?fieldManager=one`,
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } },
        applied,
      ),
      await client.send(
        'PATCH',
        `/api/v1/namespaces/${namespace}/serviceaccounts/s?fieldManager=one`,
        {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: 's' },
          imagePullSecrets: [{ name: 'p' }],
        },
        applied,
      ),
    ])
  })

  describe('a client-side apply', () => {
    same('hands its fields over to a server-side one of kubectl', 200, async () => {
      const annotations = {
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(
          map('handed', { a: '1', b: '2' }),
        ),
      }
      await client.send(
        'POST',
        `${maps}?fieldManager=kubectl-client-side-apply`,
        map('handed', { a: '1', b: '2' }, { annotations }),
      )
      return applyMap('kubectl', 'handed', { a: '1' })
    })
  })
})
