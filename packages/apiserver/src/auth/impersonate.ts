import type { IncomingHttpHeaders } from 'node:http'
import { badRequest, forbidden } from '../endpoints/api-error.ts'
import type { UserInfo } from '../endpoints/user-info.ts'
import { anonymous, authenticatedGroup } from './authenticate.ts'
import type { Authorizer } from './rbac/authorizer.ts'
import type { AccessAttributes } from './rbac/policy.ts'
import { serviceAccountGroups } from './tokens/service-account-token.ts'

const extraPrefix = 'impersonate-extra-'

/**
 * The user that the `Impersonate-*` headers name, if the one who sent them may act as that user, in each of its groups, with
 * its uid and with each extra value. Every part is asked for on its own, as Kubernetes does.
 */
export function impersonate(
  user: UserInfo,
  headers: IncomingHttpHeaders,
  distinctHeaders: Readonly<Record<string, readonly string[]>>,
  authorizer: Authorizer,
): UserInfo {
  const name = headers['impersonate-user']
  const groups = distinctHeaders['impersonate-group'] ?? []
  const uid = headers['impersonate-uid']
  const extra = extraOf(distinctHeaders)
  if (typeof name !== 'string' || name === '') {
    if (groups.length > 0 || uid !== undefined || Object.keys(extra).length > 0) {
      throw badRequest('requested impersonation without impersonating a user')
    }
    return user
  }

  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name)
  const ask = (wanted: Partial<AccessAttributes>) => demand(user, wanted, authorizer)
  if (account)
    ask({ resource: 'serviceaccounts', namespace: account[1] ?? '', name: account[2] ?? '' })
  else ask({ resource: 'users', name })
  for (const group of groups) ask({ resource: 'groups', name: group })
  if (typeof uid === 'string') ask({ group: 'authentication.k8s.io', resource: 'uids', name: uid })
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) {
      ask({ group: 'authentication.k8s.io', resource: 'userextras', subresource: key, name: value })
    }
  }
  return {
    name,
    groups: impersonatedGroups(name, groups, account?.[1]),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
}

function impersonatedGroups(
  name: string,
  asked: readonly string[],
  serviceAccountNamespace: string | undefined,
): string[] {
  const groups =
    asked.length === 0 && serviceAccountNamespace !== undefined
      ? serviceAccountGroups(serviceAccountNamespace)
      : [...asked]
  const presence = name === anonymous.name ? (anonymous.groups[0] ?? '') : authenticatedGroup
  return groups.includes(presence) ? groups : [...groups, presence]
}

function extraOf(headers: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([header]) => header.startsWith(extraPrefix))
      .map(([header, values]) => [unescapeKey(header.slice(extraPrefix.length)), [...values]]),
  )
}

/** Keys are percent-encoded where a header name could not hold them; what is no escape stands for itself. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

function demand(user: UserInfo, wanted: Partial<AccessAttributes>, authorizer: Authorizer): void {
  const attributes: AccessAttributes = {
    verb: 'impersonate',
    isResource: true,
    group: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    path: '',
    ...wanted,
  }
  const { allowed, reason } = authorizer.decide(user, attributes)
  if (allowed) return
  const { group, resource, namespace, name } = attributes
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  throw forbidden(
    { group, plural: resource },
    name,
    `User "${user.name}" cannot impersonate resource "${resource}" in API group "${group}" ${where}${reason === '' ? '' : `: ${reason}`}`,
  )
}
