import { describe, expect, test } from 'vitest'
import type { Fields, SendOptions } from './client.ts'
import type { Row, Suite } from './suite.ts'
import { tokens } from './tokens.ts'

const reviews = '/apis/authorization.k8s.io/v1'
const viewer = { token: tokens.viewer.token }
const nobody = { token: tokens.nobody.token }
const anonymous = { token: null }

/** Access reviews, with the roles and bindings of the access suite. */
export function describeReviews({ client, namespace, group, same, sameEach }: Suite): void {
  describe('reviews', () => {
    const ask = (what: string, attributes: Fields, options: SendOptions = {}): Row => [
      what,
      201,
      'POST',
      `${reviews}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes: attributes } },
      options,
    ]
    sameEach([
      ask('an administrator may do anything', { verb: 'delete', resource: 'nodes' }),
      ask('a viewer may list', { namespace, verb: 'list', resource: 'configmaps' }, viewer),
      ask('a viewer may not delete', { namespace, verb: 'delete', resource: 'configmaps' }, viewer),
      ask('a viewer may not list elsewhere', { verb: 'list', resource: 'configmaps' }, viewer),
      ask(
        'a name that may be read',
        { namespace, verb: 'get', resource: 'configmaps', name: 'named' },
        nobody,
      ),
      ask(
        'a subresource that may be patched',
        { namespace, verb: 'patch', group, resource: 'widgets', subresource: 'status' },
        nobody,
      ),
      [
        'a path that may be read',
        201,
        'POST',
        `${reviews}/selfsubjectaccessreviews`,
        { spec: { nonResourceAttributes: { verb: 'get', path: '/apis' } } },
        nobody,
      ],
      [
        'a path that may not be read',
        201,
        'POST',
        `${reviews}/selfsubjectaccessreviews`,
        { spec: { nonResourceAttributes: { verb: 'get', path: '/metrics' } } },
        nobody,
      ],
      ['a review of nothing', 422, 'POST', `${reviews}/selfsubjectaccessreviews`, { spec: {} }],
      [
        'a review of both',
        422,
        'POST',
        `${reviews}/selfsubjectaccessreviews`,
        { spec: { resourceAttributes: {}, nonResourceAttributes: {} } },
      ],
      [
        'a review of another user',
        201,
        'POST',
        `${reviews}/subjectaccessreviews`,
        {
          spec: {
            user: 'viewer',
            groups: ['viewers'],
            resourceAttributes: { namespace, verb: 'get', resource: 'pods' },
          },
        },
      ],
      [
        'a review of another user without permission',
        201,
        'POST',
        `${reviews}/subjectaccessreviews`,
        {
          spec: {
            user: 'stranger',
            resourceAttributes: { namespace, verb: 'get', resource: 'pods' },
          },
        },
      ],
      [
        'a review without a user',
        422,
        'POST',
        `${reviews}/subjectaccessreviews`,
        { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
      ],
      [
        'a review of another user by a user without permission',
        403,
        'POST',
        `${reviews}/subjectaccessreviews`,
        { spec: { user: 'viewer', resourceAttributes: { verb: 'get', resource: 'pods' } } },
        viewer,
      ],
      [
        'a local review',
        201,
        'POST',
        `${reviews}/namespaces/${namespace}/localsubjectaccessreviews`,
        {
          metadata: { namespace },
          spec: {
            user: 'editor',
            resourceAttributes: { namespace, verb: 'create', resource: 'pods' },
          },
        },
      ],
      [
        'a local review of another namespace',
        422,
        'POST',
        `${reviews}/namespaces/${namespace}/localsubjectaccessreviews`,
        {
          metadata: { namespace },
          spec: {
            user: 'editor',
            resourceAttributes: { namespace: 'other', verb: 'create', resource: 'pods' },
          },
        },
      ],
      ['reviews cannot be listed', 405, 'GET', `${reviews}/selfsubjectaccessreviews`],
      [
        'the identity of an administrator',
        201,
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        {},
      ],
      [
        'the identity of a viewer',
        201,
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        {},
        viewer,
      ],
      [
        'the identity of an anonymous user',
        403,
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        {},
        anonymous,
      ],
    ])
    test('the rules of a namespace', async () => {
      const { body } = await client.send(
        'POST',
        `${reviews}/selfsubjectrulesreviews`,
        { spec: { namespace } },
        nobody,
      )
      const { status } = body as {
        status: { resourceRules: Fields[]; nonResourceRules: Fields[]; incomplete: boolean }
      }
      expect(status.resourceRules).toContainEqual({
        verbs: ['list', 'create'],
        apiGroups: [group],
        resources: ['widgets'],
      })
      expect(status.nonResourceRules).toContainEqual({
        verbs: ['get'],
        nonResourceURLs: expect.arrayContaining(['/healthz', '/version']),
      })
      expect(status.incomplete).toBe(false)
    })
    same('rules of no namespace', 400, () =>
      client.send('POST', `${reviews}/selfsubjectrulesreviews`, { spec: {} }),
    )
  })
}
