import type { AuthorizationUser } from './policy-authorizer.ts'

/** The user of a service account as the authorizer sees it without a token. */
export function serviceAccountUser(namespace: string, name: string): AuthorizationUser {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid: '',
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    extra: {},
  }
}
