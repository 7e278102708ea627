import { beforeAll, describe, expect } from 'vitest'
import type { Fields } from './client.ts'
import { json, merge } from './patch-formats.ts'
import { conformance, stringAt } from './suite.ts'
import { definitionOf, fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

conformance('subresources', (suite) => {
  const { client, namespace, group, same, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const make = async (name: string, spec: Fields = { size: 1 }) => {
    const answer = await client.send('POST', path, widget(name, { spec }))
    expect(answer.code, answer.text).toBe(201)
    return stringAt(answer, 'metadata.resourceVersion')
  }

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await serve(client, definitionOf(group, { plural: 'plains', kind: 'Plain' }))
    await make('dry', { size: 1, replicas: 3 })
    await client.send(
      'PATCH',
      `${path}/dry/status`,
      { status: { replicas: 2, selector: 'a=b' } },
      merge,
    )
  })

  describe('status', () => {
    const put = async (name: string, rest: Fields, metadata: Fields = {}) => {
      const resourceVersion = await make(name)
      return client.send(
        'PUT',
        `${path}/${name}/status`,
        widget(name, rest, { resourceVersion, ...metadata }),
      )
    }
    same('a put changes the status alone', 200, () =>
      put('put', { spec: { size: 9 }, status: { phase: 'a' } }),
    )
    same('a put does not change labels', 200, () =>
      put(
        'put-labels',
        { status: { phase: 'a' } },
        { labels: { a: 'b' }, annotations: { c: 'd' } },
      ),
    )
    same('a put does not change finalizers', 200, () =>
      put('put-final', { status: { phase: 'a' } }, { finalizers: ['a.dev/b'] }),
    )
    same('a put without a status removes it', 200, async () => {
      await put('put-none', { status: { phase: 'a' } })
      const resourceVersion = stringAt(
        await client.get(`${path}/put-none`),
        'metadata.resourceVersion',
      )
      return client.send(
        'PUT',
        `${path}/put-none/status`,
        widget('put-none', {}, { resourceVersion }),
      )
    })
    same('a put of an old version is a conflict', 409, async () => {
      const resourceVersion = await make('stale')
      await client.send('PATCH', `${path}/stale`, { spec: { size: 2 } }, merge)
      return client.send(
        'PUT',
        `${path}/stale/status`,
        widget('stale', { status: {} }, { resourceVersion }),
      )
    })
    same('a put of the object leaves the status', 200, async () => {
      await put('kept', { status: { phase: 'a' } })
      const resourceVersion = stringAt(await client.get(`${path}/kept`), 'metadata.resourceVersion')
      return client.send(
        'PUT',
        `${path}/kept`,
        widget('kept', { spec: { size: 4 }, status: { phase: 'b' } }, { resourceVersion }),
      )
    })
    sameEach([
      ['a status may be read', 200, 'GET', `${path}/dry/status`],
      [
        'a status may be patched',
        200,
        'PATCH',
        `${path}/dry/status?dryRun=All`,
        { status: { phase: 'x' }, spec: { size: 5 } },
        merge,
      ],
      [
        'a status may be patched by operations',
        200,
        'PATCH',
        `${path}/dry/status?dryRun=All`,
        [{ op: 'add', path: '/status/phase', value: 'x' }],
        json,
      ],
      [
        'a status is validated',
        422,
        'PATCH',
        `${path}/dry/status?dryRun=All`,
        { status: { phase: 5 } },
        merge,
      ],
      [
        'a status is validated in its lists',
        422,
        'PATCH',
        `${path}/dry/status?dryRun=All`,
        { status: { conditions: [{ type: 'A' }] } },
        merge,
      ],
      [
        'conditions have one of each type',
        422,
        'PATCH',
        `${path}/dry/status?dryRun=All`,
        {
          status: {
            conditions: [
              { type: 'A', status: 'x' },
              { type: 'A', status: 'y' },
            ],
          },
        },
        merge,
      ],
      [
        'an unknown field of a status, Warn',
        200,
        'PATCH',
        `${path}/dry/status?dryRun=All`,
        { status: { odd: 1 } },
        merge,
      ],
      [
        'an unknown field of a status, Strict',
        422,
        'PATCH',
        `${path}/dry/status?dryRun=All&fieldValidation=Strict`,
        { status: { odd: 1 } },
        merge,
      ],
      ['a patch of nothing', 200, 'PATCH', `${path}/dry/status`, {}, merge],
      ['a status cannot be created', 405, 'POST', `${path}/dry/status`, widget('dry')],
      ['a status cannot be deleted', 405, 'DELETE', `${path}/dry/status`],
      ['a status of what is not there', 404, 'GET', `${path}/none/status`],
      [
        'a patch to the status of what is not there',
        404,
        'PATCH',
        `${path}/none/status`,
        {},
        merge,
      ],
      [
        'a kind without a status subresource does not serve it',
        404,
        'GET',
        `/apis/${group}/v1/namespaces/${namespace}/plains/a/status`,
      ],
    ])
    same('without a subresource the status belongs to the object', 200, async () => {
      const plains = `/apis/${group}/v1/namespaces/${namespace}/plains`
      return [
        await client.send('POST', plains, {
          ...widget('a'),
          kind: 'Plain',
          status: { phase: 'a' },
        }),
        await client.send('PATCH', `${plains}/a`, { status: { phase: 'b' } }, merge),
      ]
    })
  })

  describe('scale', () => {
    const scale = (spec: Fields, metadata: Fields = {}): Fields => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'dry', namespace, ...metadata },
      spec,
    })
    sameEach([
      ['a scale may be read', 200, 'GET', `${path}/dry/scale`],
      ['a scale may be put', 200, 'PUT', `${path}/dry/scale?dryRun=All`, scale({ replicas: 5 })],
      [
        'a scale may be patched',
        200,
        'PATCH',
        `${path}/dry/scale?dryRun=All`,
        { spec: { replicas: 7 } },
        merge,
      ],
      [
        'a scale may be patched by operations',
        200,
        'PATCH',
        `${path}/dry/scale?dryRun=All`,
        [{ op: 'replace', path: '/spec/replicas', value: 8 }],
        json,
      ],
      ['a scale may be 0', 200, 'PUT', `${path}/dry/scale?dryRun=All`, scale({ replicas: 0 })],
      [
        'a scale may not be negative',
        422,
        'PUT',
        `${path}/dry/scale?dryRun=All`,
        scale({ replicas: -1 }),
      ],
      ['a scale is a number', 400, 'PUT', `${path}/dry/scale?dryRun=All`, scale({ replicas: 'x' })],
      [
        'a scale of an old version is a conflict',
        409,
        'PUT',
        `${path}/dry/scale`,
        scale({ replicas: 1 }, { resourceVersion: '1' }),
      ],
      [
        'a scale of another kind',
        400,
        'PUT',
        `${path}/dry/scale`,
        { ...scale({ replicas: 1 }), kind: 'Widget', apiVersion: `${group}/v1` },
      ],
      ['a scale of what is not there', 404, 'GET', `${path}/none/scale`],
      [
        'a scale patch of what is not there',
        404,
        'PATCH',
        `${path}/none/scale`,
        { spec: { replicas: 1 } },
        merge,
      ],
      ['a scale cannot be deleted', 405, 'DELETE', `${path}/dry/scale`],
      [
        'a kind without a scale subresource does not serve it',
        404,
        'GET',
        `/apis/${group}/v1/namespaces/${namespace}/plains/a/scale`,
      ],
      [
        'a scale patch that changes nothing',
        200,
        'PATCH',
        `${path}/dry/scale`,
        { spec: { replicas: 3 } },
        merge,
      ],
    ])
    same('a scale that is kept shows in the object', 200, async () => {
      await make('scaled')
      return [
        await client.send('PATCH', `${path}/scaled/scale`, { spec: { replicas: 6 } }, merge),
        await client.get(`${path}/scaled`),
      ]
    })
    same('a deployment has a scale', 200, async () => {
      const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
      const labels = { a: 'b' }
      const made = await client.send('POST', deployments, {
        metadata: { name: 'd' },
        spec: {
          paused: true,
          replicas: 0,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
        },
      })
      expect(made.code, made.text).toBe(201)
      const dry = `${deployments}/d/scale?dryRun=All`
      const strip = [
        await client.get(`${deployments}/d/scale`),
        await client.send('PATCH', dry, { spec: { replicas: 2 } }, merge),
        await client.send('PUT', dry, {
          metadata: { name: 'd', namespace },
          spec: { replicas: 3 },
        }),
      ]
      return strip
    })
  })
})
