import type { Authorizer } from '../../auth/rbac/authorizer.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Store } from '../../store/store.ts'
import type { Matcher } from '../matching/match-resources.ts'

export interface PolicyDependencies {
  readonly store: Store
  readonly registry: Registry
  readonly authorizer: Authorizer
  readonly matcher: Matcher
}
