import { beforeAll, describe } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { policiesOf, validatingBindingPath, validatingPath, validations } from './policies.ts'
import { conformance, valueAt } from './suite.ts'
import { tokens } from './tokens.ts'
import { definitionOf, serve } from './widget.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const author = { token: tokens.author.token }

/** What policies see of requests other than plain writes of plain objects. */
conformance('policy-requests', (suite) => {
  const { client, namespace, group, same } = suite
  const policies = policiesOf(suite)
  const { validating, maps } = policies
  const here = `/api/v1/namespaces/${namespace}`
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
  const things = (version: string) => `/apis/${group}/${version}/namespaces/${namespace}/things`
  const shown =
    "[request.operation, request.resource.version, request.resource.resource, has(request.subResource) ? request.subResource : '-', request.kind.group + '/' + request.kind.kind, request.requestKind.version, has(request.name) ? request.name : '-', has(request.namespace) ? request.namespace : '-'].join(' ')"
  const show = (expression = shown): Fields =>
    validations('false', { messageExpression: expression })
  const any = { match: { objectSelector: {} } }

  beforeAll(async () => {
    const version = (name: string, storage: boolean): Fields => ({
      name,
      storage,
      served: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      },
    })
    await serve(
      client,
      definitionOf(group, {
        plural: 'things',
        kind: 'Thing',
        spec: { versions: [version('v1', true), version('v2', false)] },
      }),
    )
    await client.send('POST', `${here}/pods`, {
      metadata: { name: 'some' },
      spec: { containers: [{ name: 'main', image: 'one' }] },
    })
    await validating('evicts', { spec: show(), rule: { resources: ['pods/eviction'] }, ...any })
    await validating('binds', { spec: show(), rule: { resources: ['pods/binding'] }, ...any })
    await validating('binds-old', { spec: show(), rule: { resources: ['bindings'] }, ...any })
    await validating('executes', {
      spec: show(
        "request.operation + ' ' + request.kind.kind + ' ' + string(object.command[0]) + ' ' + string(object.container) + ' ' + string(has(object.stdout)) + ' ' + string(has(object.tty))",
      ),
      rule: { operations: ['CONNECT'], resources: ['pods/exec'] },
      ...any,
    })
    await validating('forwards', {
      spec: show(),
      rule: { operations: ['*'], resources: ['pods/*'] },
      match: {
        objectSelector: {},
        excludeResourceRules: [
          {
            ...{ operations: ['*'], apiGroups: [''], apiVersions: ['*'] },
            resources: ['pods/eviction', 'pods/binding', 'pods/exec', 'pods/status'],
          },
        ],
      },
    })
    await validating('leases', {
      spec: show(),
      rule: { apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
      ...any,
    })
    await validating('versions', {
      spec: show(`${shown} + ' ' + object.apiVersion`),
      rule: { apiGroups: [group], apiVersions: ['v2'], resources: ['things'] },
    })
    await validating('exact', {
      spec: show(),
      rule: { apiGroups: [group], apiVersions: ['v2'], resources: ['things'] },
      match: { matchPolicy: 'Exact' },
    })
    await validating('in-namespace', {
      spec: show(`${shown} + ' ' + string(namespaceObject == null)`),
      rule: { resources: ['namespaces'] },
      match: { namespaceSelector: { matchLabels: { special: namespace } } },
    })
    await validating('events', {
      spec: show(`${shown} + ' ' + object.apiVersion`),
      rule: { apiGroups: ['events.k8s.io'], resources: ['events'] },
    })
    await policies.active('validating')
  })

  const thing = (policy: string, version: string): Fields => ({
    apiVersion: `${group}/${version}`,
    kind: 'Thing',
    metadata: { name: `of-${policy}`, labels: { policy } },
  })

  describe('a request', () => {
    same('to evict', 422, () =>
      client.send('POST', `${here}/pods/some/eviction`, { metadata: { name: 'some' } }),
    )
    same('to bind', 422, () =>
      client.send('POST', `${here}/pods/some/binding`, {
        metadata: { name: 'some' },
        target: { kind: 'Node', name: 'n' },
      }),
    )
    same('to bind the older way', 422, () =>
      client.send('POST', `${here}/bindings`, {
        metadata: { name: 'some' },
        target: { kind: 'Node', name: 'n' },
      }),
    )
    same('to execute', 422, () =>
      client.send('POST', `${here}/pods/some/exec?command=sh&container=main&tty=true`),
    )
    same('to forward a port', 422, () => client.send('POST', `${here}/pods/some/portforward`))
    same('to create by update', 422, () =>
      client.send('PUT', `${leases}/mine`, { metadata: { name: 'mine' }, spec: {} }),
    )
    same('in an equivalent version', 422, () =>
      client.send('POST', things('v1'), thing('versions', 'v1')),
    )
    same('in the version of the rule', 422, () =>
      client.send('POST', things('v2'), thing('versions', 'v2')),
    )
    same('in an equivalent version, matched exactly', 201, () =>
      client.send('POST', `${things('v1')}?dryRun=All`, thing('exact', 'v1')),
    )
    same('under another group', 422, () =>
      client.send('POST', `${here}/events`, {
        metadata: { name: 'of-events', namespace, labels: { policy: 'events' } },
        involvedObject: { kind: 'Pod', namespace, name: 'some', apiVersion: 'v1' },
        reason: 'Odd',
        type: 'Normal',
      }),
    )
    same('to create a namespace', 422, () =>
      client.send('POST', '/api/v1/namespaces', {
        metadata: {
          name: `${namespace}-more`,
          labels: { policy: 'in-namespace', special: namespace },
        },
      }),
    )
  })

  describe('who writes a policy', () => {
    beforeAll(async () => {
      await client.send('POST', `${rbac}/clusterroles`, {
        metadata: { name: namespace },
        rules: [
          { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] },
          { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
        ],
      })
      await client.send('POST', `${rbac}/clusterrolebindings`, {
        metadata: { name: namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: namespace },
        subjects: [{ kind: 'User', name: 'author', apiGroup: 'rbac.authorization.k8s.io' }],
      })
      await until(async () => (await client.get(maps, author)).code === 200)
    })
    const policy = (kind: string, name = 'written'): Fields => ({
      metadata: { name: `${namespace}-${name}` },
      spec: {
        paramKind: { apiVersion: 'v1', kind },
        matchConstraints: {
          resourceRules: [
            { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] },
          ],
        },
        ...validations('true'),
      },
    })
    const binding = (policyName: string): Fields => ({
      metadata: { name: `${namespace}-written` },
      spec: {
        policyName,
        paramRef: { name: 'a', namespace, parameterNotFoundAction: 'Deny' },
        validationActions: ['Audit'],
      },
    })
    same('must be allowed to read the params', 422, () =>
      client.send('POST', `${validatingPath}?dryRun=All`, policy('Secret'), author),
    )
    same('may be allowed to read the params', 201, () =>
      client.send('POST', `${validatingPath}?dryRun=All`, policy('ConfigMap'), author),
    )
    same('must be allowed to read params of kinds that are not there', 422, () =>
      client.send('POST', `${validatingPath}?dryRun=All`, policy('None'), author),
    )
    same('must be allowed to read what a binding refers to', 422, async () => {
      await client.send('POST', validatingPath, policy('Secret', 'secrets'))
      const body = binding(`${namespace}-secrets`)
      return client.send('POST', `${validatingBindingPath}?dryRun=All`, body, author)
    })
    same('must be allowed everything for an unknown policy', 422, () =>
      client.send('POST', `${validatingBindingPath}?dryRun=All`, binding('none-there'), author),
    )
    same('is not asked again for the same params', 200, async () => {
      const path = `${validatingPath}/${namespace}-secrets?dryRun=All`
      const body = { metadata: { labels: { a: 'b' } } }
      const answer = await client.send('PATCH', path, body, { ...author, ...merge })
      return { ...answer, body: valueAt(answer, 'metadata.labels') }
    })
  })
})
