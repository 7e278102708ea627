import { beforeAll, describe, expect } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { createPolicies } from './admission-policy-set.ts'
import { applied, merge } from './patch-formats.ts'
import { policiesOf, validations } from './policies.ts'
import { conformance } from './suite.ts'
import { tokens } from './tokens.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const editor = { token: tokens.editor.token }
conformance('admission-policies', (suite) => {
  const { client, namespace, group, same } = suite
  const policies = policiesOf(suite)
  const { validating, create, map, maps } = policies
  const { path: widgets, widget } = widgetsOf(suite)
  const labelled = (policy: string, name = `of-${policy}`) => {
    const made = widget(name) as { metadata: object }
    return { ...made, metadata: { ...made.metadata, labels: { policy } } }
  }

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await client.send('POST', `${rbac}/namespaces/${namespace}/rolebindings`, {
      metadata: { name: 'edit' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      subjects: [{ kind: 'User', name: 'editor', apiGroup: 'rbac.authorization.k8s.io' }],
    })
    for (const name of ['one', 'two']) {
      const data = { limit: name, text: `of ${name}` }
      await client.send('POST', maps, { metadata: { name, labels: { params: 'yes' } }, data })
    }
    await client.send('POST', maps, map('updates', { data: { a: '1' } }, { name: 'stays' }))
    await client.send('POST', maps, map('deletes', {}, { name: 'held' }))
    await client.send('POST', widgets, labelled('status'))
    await client.send('POST', widgets, labelled('scale'))
    await createPolicies(suite, policies)
    await policies.active('validating')
    // The real server learns a kind of params when it next reads discovery, and then starts a watch.
    for (const name of ['param-name', 'param-widget']) {
      await until(async () => !(await create(name)).text.includes('failed to configure'))
    }
    await until(async () => (await client.get(maps, editor)).code === 200)
  })

  describe('a denial', () => {
    same('names the policy, its binding and the expression', 422, () => create('plain'))
    same('names its message', 422, () => create('message'))
    same('prefers the message expression', 422, () => create('expression'))
    same('falls back to the message', 422, () => create('broken-message'))
    same('has no message on two lines', 422, () => create('lines'))
    same('may be forbidden', 403, () => create('forbidden'))
    same('may be for size', 413, () => create('large'))
    same('may be invalid', 422, () => create('unauthorized'))
    same('is that of the first validation that fails', 403, () => create('several'))
    same('is not for objects without the label', 201, () =>
      client.send('POST', `${maps}?dryRun=All`, { metadata: { name: 'free' } }),
    )
  })

  describe('an action', () => {
    same('warns', 201, () => create('warns'))
    same('audits only', 201, () => create('audits'))
    same('warns of what cannot be evaluated', 201, () => create('warns-of-errors'))
  })

  describe('a failure', () => {
    same('denies', 422, () => create('fails'))
    same('is ignored', 201, () => create('ignores'))
    same('of an annotation denies', 422, () => create('broken-annotation'))
    same('annotations are evaluated', 201, () => create('annotations'))
    same('by cost denies', 422, () => create('costly'))
  })

  describe('a match condition', () => {
    same('that is false skips the policy', 201, () => create('condition-false'))
    same('that is true does not', 422, () => create('condition-true'))
    same('that fails denies', 422, () => create('condition-error'))
    same('that fails may be ignored', 201, () => create('condition-ignored'))
  })

  describe('variables', () => {
    same('are seen by validations and messages', 422, () =>
      create('variables', { data: { a: '1' } }),
    )
    same('may be enough', 201, () => create('variables', { data: { a: '1', b: '2' } }))
    same('that fail', 422, () => create('broken-variable'))
    same('show the namespace', 422, () => create('namespace'))
    same('show the request', 422, () => create('request'))
    same('show the options of a request', 422, () =>
      create('request', {}, '?dryRun=All&fieldManager=me'),
    )
    same('tell what is not there', 422, () => create('unset'))
    same(
      'tell what is not there before a name is generated',
      422,
      () =>
        client.send('POST', maps, {
          metadata: { generateName: 'of-', labels: { policy: 'unset' } },
        }),
      [[/of-[a-z0-9]{5}/g, 'of-<suffix>']],
    )
  })

  describe('the authorizer', () => {
    same('knows administrators', 201, () => create('authorizer'))
    same('knows others', 422, () => create('authorizer', {}, '?dryRun=All', editor))
    same('knows the resource of the request', 201, () =>
      create('own-resource', {}, '?dryRun=All', editor),
    )
  })

  describe('params', () => {
    same('by name', 422, () => create('param-name'))
    same('by name and namespace', 422, () => create('param-here'))
    same('by selector', 422, () => create('param-selector'))
    same('that are missing', 422, () => create('param-missing'))
    same('that may be missing', 201, () => create('param-allowed'))
    same('that are missing, ignored', 201, () => create('param-ignored'))
    same('without a reference', 422, () => create('param-unset'))
    same('of an unknown kind', 422, () => create('param-unknown'))
    same('of a custom kind', 422, () => create('param-widget'))
  })

  describe('a rule', () => {
    same('for names', 422, () => create('names'))
    same('for other names', 201, () =>
      client.send('POST', `${maps}?dryRun=All`, map('names', {}, { name: 'else' })),
    )
    same('that is excluded', 201, () => create('excludes'))
    same('of another scope', 201, () => create('cluster'))
    same('of another operation', 201, () => create('updates'))
    same('for updates', 422, () =>
      client.send('PUT', `${maps}/stays`, map('updates', { data: { a: '2' } }, { name: 'stays' })),
    )
    same('for patches', 422, () =>
      client.send('PATCH', `${maps}/stays`, { data: { a: '3' } }, merge),
    )
    same('for applies', 422, () =>
      client.send(
        'PATCH',
        `${maps}/stays?fieldManager=me&force=true`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stays' }, data: { a: '4' } },
        applied,
      ),
    )
    same('for an apply that creates', 422, () =>
      client.send(
        'PATCH',
        `${maps}/of-plain?fieldManager=me`,
        { apiVersion: 'v1', kind: 'ConfigMap', ...map('plain') },
        applied,
      ),
    )
    same('for an update that drops the label', 422, () =>
      client.send('PUT', `${maps}/stays`, { metadata: { name: 'stays' }, data: { a: '5' } }),
    )
    same('for deletes', 422, () => client.send('DELETE', `${maps}/held`))
    same('for deletes of a collection', 422, () =>
      client.send('DELETE', `${maps}?labelSelector=policy%3Ddeletes`),
    )
    same('an object whose deletion was blocked still exists', 200, () => client.get(`${maps}/held`))
    same('for a status', 422, () =>
      client.send('PATCH', `${widgets}/of-status/status`, { status: { phase: 'up' } }, merge),
    )
    same('for a status, not the object', 200, () =>
      client.send('PATCH', `${widgets}/of-status?dryRun=All`, { spec: { mode: 'b' } }, merge),
    )
    same('for a scale', 422, () =>
      client.send('PATCH', `${widgets}/of-scale/scale`, { spec: { replicas: 7 } }, merge),
    )
    same('for a token request', 422, () =>
      client.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`, {
        spec: {},
      }),
    )
    same('of a binding', 201, () => create('binding'))
    same('of a binding that matches', 422, () =>
      client.send('POST', maps, map('binding', {}, { labels: { policy: 'binding', more: 'yes' } })),
    )
  })

  describe('excluded', () => {
    same('are reviews', 201, async () => {
      const all = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }
      const name = `${namespace}-reviews`
      await validating(name, {
        spec: {
          ...validations('false'),
          matchConditions: [
            {
              name: 'a',
              expression:
                "request.resource.resource == 'selfsubjectreviews' || request.resource.resource == 'validatingadmissionpolicies'",
            },
          ],
        },
        rule: all,
        match: { objectSelector: {}, namespaceSelector: {} },
      })
      await policies.active('validating')
      const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
      const answer = await client.send('POST', reviews, {})
      const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
      const deleted = await client.send('DELETE', `${path}/${name}`)
      expect(deleted.code, deleted.text).toBe(200)
      return answer
    })
  })
})
