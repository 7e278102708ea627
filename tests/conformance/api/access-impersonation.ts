import { describe } from 'vitest'
import type { SendOptions } from './client.ts'
import type { Suite } from './suite.ts'
import { tokens } from './tokens.ts'

const viewer = { token: tokens.viewer.token }

/** Impersonation, with the roles and bindings of the access suite. */
export function describeImpersonation({ namespace, sameEach }: Suite): void {
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  describe('impersonation', () => {
    const as = (user: string, headers: Record<string, string> = {}): SendOptions => ({
      headers: { 'impersonate-user': user, ...headers },
    })
    const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    sameEach([
      ['as a user', 201, 'POST', self, {}, as('somebody')],
      [
        'as a user with a group',
        201,
        'POST',
        self,
        {},
        as('somebody', { 'impersonate-group': 'team' }),
      ],
      [
        'as a user with more to tell',
        201,
        'POST',
        self,
        {},
        as('somebody', { 'impersonate-extra-Reason': 'tests', 'impersonate-uid': 'u1' }),
      ],
      [
        'as a service account',
        201,
        'POST',
        self,
        {},
        as(`system:serviceaccount:${namespace}:builder`),
      ],
      ['as an anonymous user', 403, 'POST', self, {}, as('system:anonymous')],
      [
        'as a viewer reads',
        200,
        'GET',
        `${maps}/named`,
        undefined,
        as('x', { 'impersonate-group': 'viewers' }),
      ],
      ['as a stranger does not read', 403, 'GET', maps, undefined, as('stranger')],
      [
        'as another user by a user without permission',
        403,
        'GET',
        maps,
        undefined,
        { ...as('admin'), ...viewer },
      ],
      [
        'as a group by a user without permission',
        403,
        'GET',
        maps,
        undefined,
        { ...as('viewer', { 'impersonate-group': 'system:masters' }), ...viewer },
      ],
      [
        'as a group without a user',
        400,
        'GET',
        maps,
        undefined,
        { headers: { 'impersonate-group': 'viewers' } },
      ],
    ])
  })
}
