import type { NotedRequest } from '../../../support/testbed/audit-log.ts'
import { type Right, type Rights, rightOf } from './granted-rights.ts'

const prefix = 'system:serviceaccount:agents:'

/** The requests of the namespace's accounts, from the audit log. A request for one name counts with and without it. */
export function usedRights(requests: readonly NotedRequest[]): Rights {
  const used = new Map<string, Set<Right>>()
  for (const { account, access } of requests.flatMap(ofAccount)) {
    const own = used.get(account) ?? new Set()
    used.set(account, own.add(rightOf(access)).add(rightOf({ ...access, name: undefined })))
  }
  return used
}

/** Requests of the accounts that were answered with Forbidden, without duplicates. */
export function refusedRequests(requests: readonly NotedRequest[]): readonly string[] {
  const refused = requests
    .filter(({ responseStatus }) => responseStatus?.code === 403)
    .flatMap(ofAccount)
    .map(
      ({ account, access, namespace }) =>
        `${account}: ${rightOf(access)} in ${namespace || 'the cluster'}`,
    )
  return [...new Set(refused)].toSorted()
}

function ofAccount({ user, verb, objectRef }: NotedRequest) {
  const username = user?.username ?? ''
  if (!username.startsWith(prefix) || objectRef?.resource === undefined) return []
  const { apiGroup: group, resource, subresource, name, namespace } = objectRef
  const access = { verb, group, resource, subresource, name }
  return [{ account: username.slice(prefix.length), access, namespace }]
}
