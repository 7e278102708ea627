import type { Authorizer } from '../auth/rbac/authorizer.ts'
import { rbacAuthorizer } from '../auth/rbac/authorizer.ts'
import type { Policy } from '../auth/rbac/policy.ts'
import type { Store } from '../store/store.ts'

const prefix = '/rbac.authorization.k8s.io/'

/** An RBAC authorizer that always uses the currently stored roles and bindings. */
export function storedAuthorizer(store: Store): Authorizer & { stop(): void } {
  let current: Authorizer | undefined
  const watch = store.watch(prefix, store.revision, () => {
    current = undefined
  })
  const authorizer = (): Authorizer => {
    current ??= rbacAuthorizer(readPolicy(store))
    return current
  }
  return {
    decide: (user, wanted) => authorizer().decide(user, wanted),
    rulesFor: (user, namespace) => authorizer().rulesFor(user, namespace),
    stop: () => watch.close(),
  }
}

function readPolicy(store: Store): Policy {
  const all = (plural: string): never[] =>
    store.list(`${prefix}${plural}/`).entries.map(({ value }) => value as never)
  return {
    clusterRoles: all('clusterroles'),
    roles: all('roles'),
    clusterRoleBindings: all('clusterrolebindings'),
    roleBindings: all('rolebindings'),
  }
}
