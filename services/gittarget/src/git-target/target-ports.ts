import type { Clock, GateOf } from '@agents/controller'
import type { GitProvider, GitTarget, gitTargetConditions } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { ConnectionPorts } from '../git-provider/resolve-connection.ts'
import type { Caches } from '../kubernetes/caches.ts'
import type { WriterSettings } from '../mirror/branch-writers.ts'
import type { Mirrors } from '../mirror/mirrors.ts'
import type { ResourceCatalog } from '../mirror/resource-catalog.ts'
import type { EncryptionPorts, ResolvedEncryption } from './resolve-encryption.ts'

export interface GitTargetPorts extends ConnectionPorts, EncryptionPorts {
  readonly caches: Caches
  readonly mirrors: Mirrors
  readonly catalog: ResourceCatalog
  readonly clock: Clock
  /** Something is wrong with the repository of this GitProvider: it should be looked at. */
  readonly doubt: (provider: string) => void
}

export type TargetStatus = NonNullable<GitTarget['status']>
export type TargetDetail = Omit<TargetStatus, 'conditions' | 'observedGeneration'>

type Conditions = typeof gitTargetConditions
export type TargetGate<Type extends Conditions['gates'][number]['type']> = GateOf<
  Conditions,
  Type,
  GitTarget,
  TargetDetail
>

export const providerKeyOf = ({ metadata, spec }: GitTarget): string =>
  formatKey({ namespace: metadata.namespace, name: spec.providerRef.name })

export const providerOf = (
  target: GitTarget,
  { gitProviders }: Pick<Caches, 'gitProviders'>,
): GitProvider | undefined => gitProviders.get(providerKeyOf(target))

/** What the gates before have found out in this pass and no status may show. */
export interface TargetFindings {
  readonly provider: GitProvider
  readonly writer: WriterSettings
  readonly encryption?: ResolvedEncryption
}
