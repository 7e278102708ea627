import type { Clock, GateOf } from '@agents/controller'
import type { GitProvider, GitTarget, gitTargetConditions } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { Caches } from '../kubernetes/caches.ts'
import type { WriterSettings } from '../mirror/branch/branch-writers.ts'
import type { Mirrors } from '../mirror/mirrors.ts'
import type { ResourceCatalog } from '../mirror/selection/resource-catalog.ts'
import type { ConnectionPorts } from '../repository/resolve-connection.ts'
import type { PathClaims } from './paths/path-claims.ts'
import type { EncryptionPorts, ResolvedEncryption } from './resolve-encryption.ts'

export interface GitTargetPorts extends ConnectionPorts, EncryptionPorts {
  readonly caches: Caches
  readonly mirrors: Mirrors
  readonly catalog: ResourceCatalog
  readonly claims: PathClaims
  readonly clock: Clock
  /** To be called with the key of a GitProvider whose repository failed, so that its status is checked again. */
  readonly providerFailed: (provider: string) => void
}

type TargetStatus = NonNullable<GitTarget['status']>
export type TargetDetail = Omit<TargetStatus, 'conditions' | 'observedGeneration'>

type Conditions = typeof gitTargetConditions
export type TargetGate<Type extends Conditions['gates'][number]['type']> = GateOf<
  Conditions,
  Type,
  GitTarget,
  TargetDetail,
  TargetScope
>

export function providerKeyOf({ metadata, spec }: GitTarget): string {
  return formatKey({ namespace: metadata.namespace, name: spec.providerRef.name })
}

export function providerOf(
  target: GitTarget,
  { gitProviders }: Pick<Caches, 'gitProviders'>,
): GitProvider | undefined {
  return gitProviders.get(providerKeyOf(target))
}

/** What the gates share in one reconcile of a GitTarget; none of it may appear in the status. */
export interface TargetScope {
  /** Set by Validated and completed by EncryptionConfigured. */
  findings?: TargetFindings
}

export interface TargetFindings {
  readonly provider: GitProvider
  readonly writer: WriterSettings
  /** Why the target may not write to a path that another target uses. */
  readonly refusal?: string | undefined
  readonly encryption?: ResolvedEncryption
}
