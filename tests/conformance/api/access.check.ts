import type { Json } from '@agents/crd'
import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { describeImpersonation } from './access-impersonation.ts'
import { describeReviews } from './access-reviews.ts'
import type { Fields, SendOptions } from './client.ts'
import { applied, merge } from './patch-formats.ts'
import { conformance, type Row } from './suite.ts'
import { tokens } from './tokens.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const viewer = { token: tokens.viewer.token }
const editor = { token: tokens.editor.token }
const nobody = { token: tokens.nobody.token }
const anonymous = { token: null }

conformance('access', (suite) => {
  const { client, namespace, group, sameEach } = suite
  const { path, everywhere, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const bind = (
    name: string,
    roleRef: Fields,
    subject: Fields,
    at = `${rbac}/namespaces/${namespace}/rolebindings`,
  ) =>
    client.send('POST', at, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...roleRef },
      subjects: [subject],
    })

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await client.send('POST', maps, { metadata: { name: 'named' } })
    await client.send('POST', `${rbac}/namespaces/${namespace}/roles`, {
      metadata: { name: 'some' },
      rules: [
        {
          apiGroups: [''],
          resources: ['configmaps'],
          resourceNames: ['named'],
          verbs: ['get', 'update'],
        },
        { apiGroups: [group], resources: ['widgets'], verbs: ['list', 'create'] },
        { apiGroups: [group], resources: ['widgets/status'], verbs: ['*'] },
        { apiGroups: ['apps'], resources: ['*'], verbs: ['get'] },
        { apiGroups: ['batch'], resources: ['*/status'], verbs: ['get'] },
      ],
    })
    const bound = await Promise.all([
      bind('some', { kind: 'Role', name: 'some' }, { kind: 'User', name: 'nobody' }),
      bind('view', { kind: 'ClusterRole', name: 'view' }, { kind: 'Group', name: 'viewers' }),
      bind('edit', { kind: 'ClusterRole', name: 'edit' }, { kind: 'User', name: 'editor' }),
    ])
    expect(bound.map(({ code }) => code)).toEqual([201, 201, 201])
    // The authorizer learns of bindings through watches.
    await until(async () => (await client.get(maps, viewer)).code === 200)
    await until(async () => (await client.get(path, nobody)).code === 200)
  })

  describe('a token', () => {
    sameEach([
      ['that is unknown', 401, 'GET', maps, undefined, { token: 'unknown' }],
      [
        'that is empty is none',
        403,
        'GET',
        maps,
        undefined,
        { headers: { authorization: 'Bearer ' }, token: null },
      ],
      [
        'with another scheme is not accepted',
        403,
        'GET',
        maps,
        undefined,
        { headers: { authorization: 'Basic eDp5' }, token: null },
      ],
      ['that is missing', 403, 'GET', maps, undefined, anonymous],
      ['that is missing for a path', 403, 'GET', '/metrics', undefined, anonymous],
      ['that is missing for discovery', 403, 'GET', '/apis', undefined, anonymous],
      ['that is missing for a health check', 200, 'GET', '/livez', undefined, anonymous],
      [
        'that is missing for a health check by name',
        403,
        'GET',
        '/livez/ping',
        undefined,
        anonymous,
      ],
      ['that is missing for a path that does not exist', 403, 'GET', '/none', undefined, anonymous],
    ])
  })

  describe('a role', () => {
    const asked: readonly (readonly [
      string,
      number,
      SendOptions,
      ...(readonly [Row[2], string, Json?]),
    ])[] = [
      ['a name that is allowed', 200, nobody, 'GET', `${maps}/named`],
      ['another name', 403, nobody, 'GET', `${maps}/other`],
      ['all names', 403, nobody, 'GET', maps],
      [
        'a list of the name that is allowed',
        403,
        nobody,
        'GET',
        `${maps}?fieldSelector=metadata.name%3Dnamed`,
      ],
      ['a verb that is not allowed', 403, nobody, 'DELETE', `${maps}/named`],
      ['a collection to delete', 403, nobody, 'DELETE', maps],
      ['a list of a custom resource', 200, nobody, 'GET', path],
      ['a list of a custom resource everywhere', 403, nobody, 'GET', everywhere],
      ['a watch of a custom resource', 403, nobody, 'GET', `${path}?watch=true`],
      ['a custom resource to create', 201, nobody, 'POST', `${path}?dryRun=All`, widget('x')],
      ['a subresource that is allowed', 404, nobody, 'GET', `${path}/x/status`],
      ['a subresource that is not', 403, nobody, 'GET', `${path}/x/scale`],
      [
        'any resource of a group',
        404,
        nobody,
        'GET',
        `/apis/apps/v1/namespaces/${namespace}/deployments/x`,
      ],
      [
        'a status of any resource',
        404,
        nobody,
        'GET',
        `/apis/batch/v1/namespaces/${namespace}/jobs/x/status`,
      ],
      [
        'the resource of that status',
        403,
        nobody,
        'GET',
        `/apis/batch/v1/namespaces/${namespace}/jobs/x`,
      ],
      ['another namespace', 403, nobody, 'GET', '/api/v1/namespaces/default/configmaps/named'],
      ['a cluster-wide resource', 403, nobody, 'GET', '/api/v1/nodes'],
      ['a namespace itself', 403, nobody, 'GET', `/api/v1/namespaces/${namespace}`],
      ['namespaces to list', 403, nobody, 'GET', '/api/v1/namespaces'],
      ['discovery', 200, nobody, 'GET', `/apis/${group}`],
      ['metrics', 403, nobody, 'GET', '/metrics'],
      [
        'a resource that does not exist',
        403,
        nobody,
        'GET',
        `/api/v1/namespaces/${namespace}/nothings`,
      ],
      ['a group that does not exist', 403, nobody, 'GET', '/apis/none.example.dev/v1/nothings'],
    ]
    sameEach(
      asked.map(
        ([what, code, options, method, at, body]): Row => [what, code, method, at, body, options],
      ),
    )
    sameEach([
      ['a patch that is not allowed', 403, 'PATCH', `${path}/x`, {}, { ...nobody, ...merge }],
      [
        'an update that creates needs both',
        403,
        'PATCH',
        `${maps}/other?fieldManager=a`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } },
        { ...nobody, ...applied },
      ],
    ])
  })

  describe('view and edit', () => {
    sameEach([
      ['a viewer reads', 200, 'GET', `${maps}/named`, undefined, viewer],
      [
        'a viewer reads no secrets',
        403,
        'GET',
        `/api/v1/namespaces/${namespace}/secrets`,
        undefined,
        viewer,
      ],
      ['a viewer writes nothing', 403, 'POST', maps, { metadata: { name: 'x' } }, viewer],
      [
        'a viewer reads no roles',
        403,
        'GET',
        `${rbac}/namespaces/${namespace}/roles`,
        undefined,
        viewer,
      ],
      ['a viewer reads no custom resource of itself', 403, 'GET', path, undefined, viewer],
      [
        'an editor reads secrets',
        200,
        'GET',
        `/api/v1/namespaces/${namespace}/secrets`,
        undefined,
        editor,
      ],
      ['an editor writes', 201, 'POST', `${maps}?dryRun=All`, { metadata: { name: 'x' } }, editor],
      [
        'an editor makes no roles',
        403,
        'POST',
        `${rbac}/namespaces/${namespace}/roles`,
        { metadata: { name: 'x' } },
        editor,
      ],
      ['an editor sees no nodes', 403, 'GET', '/api/v1/nodes', undefined, editor],
    ])
    test('a role that is aggregated takes in what is labelled for it', async () => {
      const made = await client.send('POST', `${rbac}/clusterroles`, {
        metadata: {
          name: 'access-widgets',
          labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
        },
        rules: [{ apiGroups: [group], resources: ['widgets'], verbs: ['get', 'list'] }],
      })
      expect(made.code).toBe(201)
      await until(async () => (await client.get(path, viewer)).code === 200)
    })
  })

  describe('escalation', () => {
    const power = { token: tokens.editor.token }
    beforeAll(async () => {
      await client.send('POST', `${rbac}/clusterroles`, {
        metadata: { name: 'access-roles' },
        rules: [
          {
            apiGroups: ['rbac.authorization.k8s.io'],
            resources: ['roles', 'rolebindings'],
            verbs: ['get', 'create', 'update', 'patch', 'delete'],
          },
        ],
      })
      await bind(
        'roles',
        { kind: 'ClusterRole', name: 'access-roles' },
        { kind: 'User', name: 'editor' },
      )
      await until(
        async () =>
          (await client.get(`${rbac}/namespaces/${namespace}/roles/some`, power)).code === 200,
      )
    })
    const roles = `${rbac}/namespaces/${namespace}/roles`
    sameEach([
      [
        'a user cannot grant permissions that they lack',
        403,
        'POST',
        roles,
        {
          metadata: { name: 'too-much' },
          rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
        },
        power,
      ],
      [
        'a user cannot bind permissions that they lack',
        403,
        'POST',
        `${rbac}/namespaces/${namespace}/rolebindings`,
        {
          metadata: { name: 'too-much' },
          roleRef: {
            apiGroup: 'rbac.authorization.k8s.io',
            kind: 'ClusterRole',
            name: 'cluster-admin',
          },
        },
        power,
      ],
      [
        'one may give what one has',
        201,
        'POST',
        `${roles}?dryRun=All`,
        {
          metadata: { name: 'enough' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
        },
        power,
      ],
      [
        'a binding to a role that is not there is refused',
        404,
        'POST',
        `${rbac}/namespaces/${namespace}/rolebindings`,
        {
          metadata: { name: 'nowhere' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'none' },
        },
        power,
      ],
    ])
  })

  describeReviews(suite)
  describeImpersonation(suite)
})
