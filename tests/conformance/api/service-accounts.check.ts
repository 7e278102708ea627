import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Fields } from './client.ts'
import { conformance, stringAt, valueAt } from './suite.ts'
import { tokens } from './tokens.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'

conformance('service-accounts', ({ client, namespace, same }) => {
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`

  describe('service accounts', () => {
    const request = (spec: Fields = {}) =>
      client.send('POST', `${accounts}/builder/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec,
      })
    const review = (token: string, audiences?: string[]) =>
      client.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token, ...(audiences && { audiences }) },
      })
    const secret = [
      [/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, '<token>'],
      [/^JTI=<uid.*>$/, '<token id>'],
    ] as const
    beforeAll(async () => {
      await client.send('POST', accounts, { metadata: { name: 'builder' } })
      await client.send('POST', maps, { metadata: { name: 'named' } })
      const bound = await client.send('POST', `${rbac}/namespaces/${namespace}/rolebindings`, {
        metadata: { name: 'builder' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'ServiceAccount', name: 'builder', namespace }],
      })
      expect(bound.code).toBe(201)
    })
    same('a token is made', 201, () => request(), secret)
    same(
      'a token of an hour and an audience',
      201,
      () => request({ expirationSeconds: 3600, audiences: ['tests'] }),
      secret,
    )
    same('a token too short', 422, () => request({ expirationSeconds: 60 }), secret)
    same('a token too long', 422, () => request({ expirationSeconds: 2 ** 33 }), secret)
    same('a token without a user', 404, () =>
      client.send('POST', `${accounts}/none/token`, { spec: {} }),
    )
    same('a token bound to a kind that cannot be', 400, () =>
      request({ boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'named' } }),
    )
    same('a token bound to a pod that is not there', 404, () =>
      request({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'none' } }),
    )
    same(
      'a review of a token',
      201,
      async () => {
        const token = stringAt(await request(), 'status.token')
        return review(token)
      },
      secret,
    )
    same(
      'a review of a token for another audience',
      201,
      async () => {
        const token = stringAt(await request({ audiences: ['tests'] }), 'status.token')
        return review(token)
      },
      secret,
    )
    same(
      'a review of a token for its audience',
      201,
      async () => {
        const token = stringAt(await request({ audiences: ['tests'] }), 'status.token')
        return review(token, ['tests', 'more'])
      },
      secret,
    )
    same('a review of a nonsense token', 201, () => review('nonsense'))
    same('a review of no token', 400, () => review(''))
    same('a review of a static token', 201, () => review(tokens.viewer.token))
    test('a token lets in', async () => {
      const token = stringAt(await request(), 'status.token')
      await until(async () => (await client.get(`${maps}/named`, { token })).code === 200)
      expect((await client.get('/api/v1/nodes', { token })).code).toBe(403)
    })
    test('a token for another audience does not let in', async () => {
      const token = stringAt(await request({ audiences: ['tests'] }), 'status.token')
      expect((await client.get(`${maps}/named`, { token })).code).toBe(401)
    })
    test('a token that was changed does not let in', async () => {
      const token = stringAt(await request(), 'status.token')
      const [head, body, signature = ''] = token.split('.')
      const other = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
      expect((await client.get(`${maps}/named`, { token: other })).code).toBe(401)
    })
    same('a token of an account that does not read', 403, async () => {
      const token = stringAt(await request(), 'status.token')
      return client.get('/api/v1/nodes', { token })
    })
    test('a token dies with its account', async () => {
      const token = stringAt(await request(), 'status.token')
      expect((await client.get('/apis', { token })).code).toBe(200)
      await client.send('DELETE', `${accounts}/builder`)
      await until(async () => (await client.get('/apis', { token })).code === 401)
      expect(valueAt(await review(token), 'status.authenticated')).not.toBe(true)
    })
  })
})
