import { beforeAll, describe } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Fields } from './client.ts'
import { applied, merge } from './patch-formats.ts'
import { policiesOf } from './policies.ts'
import { conformance } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

function patch(...expressions: string[]): Fields {
  return {
    reinvocationPolicy: 'Never',
    mutations: expressions.map((expression) => ({
      patchType: 'JSONPatch',
      jsonPatch: { expression },
    })),
  }
}

function apply(...expressions: string[]): Fields {
  return {
    reinvocationPolicy: 'Never',
    mutations: expressions.map((expression) => ({
      patchType: 'ApplyConfiguration',
      applyConfiguration: { expression },
    })),
  }
}

conformance('mutating-policies', (suite) => {
  const { client, namespace, group, same } = suite
  const policies = policiesOf(suite)
  const { mutating, create, map, maps } = policies
  const { path: widgets, widget } = widgetsOf(suite)
  const labels = (policy: string) => ({ labels: { policy } })
  const ofWidgets = {
    apiGroups: [group],
    apiVersions: ['v1'],
    resources: ['widgets'],
  }
  const makeWidget = (policy: string, spec: Fields = {}) =>
    client.send('POST', `${widgets}?dryRun=All`, widget(`of-${policy}`, { spec }, labels(policy)))
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const pods = `/api/v1/namespaces/${namespace}/pods`
  const makePod = (policy: string) =>
    client.send('POST', `${pods}?dryRun=All`, {
      metadata: { name: `of-${policy}`, ...labels(policy) },
      spec: { containers: [{ name: 'main', image: 'one' }] },
    })

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await client.send('POST', maps, { metadata: { name: 'values' }, data: { color: 'blue' } })
    await client.send('POST', maps, map('updates', { data: { a: '1' } }, { name: 'stays' }))
    await client.send('POST', deployments, {
      metadata: { name: 'scaled' },
      spec: {
        selector: { matchLabels: { app: 'scaled' } },
        template: {
          metadata: { labels: { app: 'scaled' } },
          spec: { containers: [{ name: 'main', image: 'one' }] },
        },
      },
    })
    await makePolicies()
    await policies.active('mutating')
    // The real server learns of the schemas of definitions later than of the definitions.
    await until(async () => (await makeWidget('widget')).code === 201)
  })

  async function makePolicies(): Promise<void> {
    await mutating('adds', {
      spec: patch('[JSONPatch{op: "add", path: "/data", value: {"added": object.metadata.name}}]'),
    })
    await mutating('escapes', {
      spec: patch(
        '[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a.b/c"), value: "1"}]',
      ),
    })
    await mutating('in-order', {
      spec: patch(
        '[JSONPatch{op: "add", path: "/data", value: {"first": "1"}}]',
        '[JSONPatch{op: "add", path: "/data/second", value: object.data.first + "2"}]',
      ),
    })
    await mutating('tests', {
      spec: patch(
        '[JSONPatch{op: "test", path: "/metadata/name", value: "x"}, JSONPatch{op: "add", path: "/data", value: {"a": "1"}}]',
      ),
    })
    await mutating('misses', { spec: patch('[JSONPatch{op: "remove", path: "/data/none"}]') })
    await mutating('misses-ignored', {
      spec: { ...patch('[JSONPatch{op: "remove", path: "/data/none"}]'), failurePolicy: 'Ignore' },
    })
    await mutating('unknown-field', {
      spec: patch('[JSONPatch{op: "add", path: "/odd", value: "1"}]'),
    })
    await mutating('fails', {
      spec: patch('[JSONPatch{op: "add", path: "/data", value: {"a": object.none}}]'),
    })
    await mutating('applies', {
      spec: apply('Object{metadata: Object.metadata{annotations: {"a": "1"}}, data: {"b": "2"}}'),
    })
    await mutating('two-steps', {
      spec: apply(
        'Object{metadata: Object.metadata{annotations: {"a": "1"}}}',
        'Object{metadata: Object.metadata{annotations: {"b": object.metadata.annotations["a"] + "2"}}}',
      ),
    })
    await mutating('containers', {
      spec: apply(
        'Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, image: "registry.example/" + c.image})}}',
      ),
      rule: { resources: ['pods'] },
    })
    await mutating('atomic', {
      spec: apply(
        'Object{spec: Object.spec{containers: [Object.spec.containers{name: "main", command: ["sh"]}]}}',
      ),
      rule: { resources: ['pods'] },
    })
    await mutating('undeclared', {
      spec: apply('Object{spec: Object.spec{odd: 1}}'),
      rule: { resources: ['pods'] },
    })
    await mutating('wrong-type', {
      spec: apply('Object{spec: Object.wrong{a: 1}}'),
      rule: { resources: ['pods'] },
    })
    await mutating('widget', {
      spec: apply('Object{spec: Object.spec{color: "red", tags: ["more"]}}'),
      rule: ofWidgets,
    })
    await mutating('widget-invalid', {
      spec: apply('Object{spec: Object.spec{color: "odd"}}'),
      rule: ofWidgets,
    })
    await mutating('widget-unknown', {
      spec: patch('[JSONPatch{op: "add", path: "/spec/odd", value: 1}]'),
      rule: ofWidgets,
    })
    await mutating('scales', {
      spec: patch('[JSONPatch{op: "replace", path: "/spec/replicas", value: 5}]'),
      rule: { apiGroups: ['apps'], resources: ['deployments/scale'] },
      match: { objectSelector: {} },
    })
    await mutating('params', {
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        variables: [{ name: 'color', expression: 'params.data.color' }],
        ...apply('Object{data: {"color": variables.color}}'),
      },
      binding: { paramRef: { name: 'values', parameterNotFoundAction: 'Deny' } },
    })
    await mutating('params-missing', {
      spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...apply('Object{}') },
      binding: { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    })
    await mutating('condition', {
      spec: {
        matchConditions: [{ name: 'a', expression: 'has(object.data)' }],
        ...apply('Object{data: {"added": "1"}}'),
      },
    })
    await mutating('condition-fails', {
      spec: {
        matchConditions: [{ name: 'a', expression: 'object.none == 1' }],
        ...apply('Object{data: {"added": "1"}}'),
      },
    })
    await mutating('updates', {
      spec: apply('Object{data: {"old": oldObject.data.a, "new": object.data.a}}'),
      rule: { operations: ['UPDATE'] },
    })
    await mutating('names', {
      spec: patch('[JSONPatch{op: "add", path: "/metadata/name", value: "given"}]'),
    })
    await mutating('namespaces', {
      spec: patch('[JSONPatch{op: "replace", path: "/metadata/namespace", value: "default"}]'),
    })
    await mutating('counts', {
      spec: {
        ...apply(
          'Object{data: {"times": string(has(object.data) && has(object.data.times) ? int(object.data.times) + 1 : 1)}}',
        ),
        reinvocationPolicy: 'IfNeeded',
      },
    })
    await mutating('counts-once', {
      spec: apply(
        'Object{data: {"times": string(has(object.data) && has(object.data.times) ? int(object.data.times) + 1 : 1)}}',
      ),
    })
  }

  describe('a JSON patch', () => {
    same('adds', 201, () => create('adds'))
    same('escapes keys', 201, () => create('escapes'))
    same('sees what the one before has done', 201, () => create('in-order'))
    same('does nothing when a test fails', 201, () => create('tests'))
    same('that does not apply', 403, () => create('misses', { data: { a: '1' } }))
    same('that does not apply, ignored', 201, () => create('misses-ignored', { data: { a: '1' } }))
    same('of an unknown field', 500, () => create('unknown-field'))
    same('that fails', 403, () => create('fails'))
  })

  describe('a configuration', () => {
    same('is applied', 201, () => create('applies'))
    same('is applied to the existing object', 201, () =>
      create('applies', { data: { a: '1', b: '1' } }),
    )
    same('sees what the configuration before has done', 201, () => create('two-steps'))
    same('merges lists by their keys', 201, () => makePod('containers'))
    same('may not set atomic lists', 403, () => makePod('atomic'))
    same('may not set unknown fields', 403, () => makePod('undeclared'))
    same('with a wrong type name', 403, () => makePod('wrong-type'))
    same('of a custom resource', 201, () => makeWidget('widget', { tags: ['one'] }))
    same('is validated', 422, () => makeWidget('widget-invalid'))
    same('patch of an unknown field of a custom resource', 201, () => makeWidget('widget-unknown'))
  })

  describe('a policy', () => {
    same('with params', 201, () => create('params'))
    same('with missing params', 403, () => create('params-missing'))
    same('whose condition holds', 201, () => create('condition', { data: { a: '1' } }))
    same('whose condition does not hold', 201, () => create('condition'))
    same('whose condition fails', 403, () => create('condition-fails'))
    same('of updates', 200, () =>
      client.send('PATCH', `${maps}/stays`, { data: { a: '2' } }, merge),
    )
    same('of applies', 200, () =>
      client.send(
        'PATCH',
        `${maps}/stays?fieldManager=me&force=true`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stays' }, data: { a: '3' } },
        applied,
      ),
    )
    same('of a scale', 200, () =>
      client.send('PATCH', `${deployments}/scaled/scale`, { spec: { replicas: 7 } }, merge),
    )
    same('that names what has no name', 201, () =>
      client.send('POST', `${maps}?dryRun=All`, {
        metadata: { generateName: 'of-', ...labels('names') },
      }),
    )
    same('that moves an object', 400, () => create('namespaces'))
    same('is asked again if needed', 201, () => create('counts'))
    same('is asked once', 201, () => create('counts-once'))
  })
})
