import type { GateOf } from '@agents/controller'
import type { GitProvider, gitProviderConditions } from '@agents/gittarget-api'
import type { ConnectionPorts } from '../repository/resolve-connection.ts'
import type { Reachability } from './reachability.ts'

export interface GitProviderPorts extends ConnectionPorts {
  readonly reachability: Reachability
  /** Search path for `git` and `ssh`. */
  readonly path: string
}

interface ProviderDetail {
  readonly canonicalURL: string
  readonly signingPublicKey: string | undefined
}

type Conditions = typeof gitProviderConditions
export type ProviderGate<Type extends Conditions['gates'][number]['type']> = GateOf<
  Conditions,
  Type,
  GitProvider,
  ProviderDetail
>
