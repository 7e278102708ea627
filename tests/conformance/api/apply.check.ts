import { beforeAll, describe } from 'vitest'
import { configMapsOf } from './config-maps.ts'
import { applied } from './patch-formats.ts'
import { conformance } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

conformance('apply', (suite) => {
  const { client, group, same, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const { maps, map, applyMap } = configMapsOf(suite)

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
        'the name may be omitted in the body',
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
        'an invalid name',
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
