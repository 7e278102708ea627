import { type Gate, type GateVerdict, pass } from '@agents/controller'
import type { implementationSpecConditions } from '@agents/jangar-api'
import { formatKey, type KubeObject } from '@agents/kube'
import type { ReasonOf } from '@agents/status'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import { waitFor } from '../../../kubernetes/wait-for.ts'

type Refers = KubeObject & { readonly spec: { readonly vcsRef?: { readonly name: string } } }
type Reason = ReasonOf<typeof implementationSpecConditions, 'VersionControlResolved'>

/** For every kind that may refer to a VersionControlProvider. Runs that use it check whether it is ready. */
export function versionControlResolved<T extends Refers>({
  versionControlProviders,
}: Pick<AgentsCaches, 'versionControlProviders'>): Gate<
  T,
  object,
  'VersionControlResolved',
  GateVerdict<Reason>
> {
  return {
    condition: 'VersionControlResolved',
    check: ({ metadata: { namespace }, spec: { vcsRef } }) => {
      if (!vcsRef) return pass('NotRequired', 'no VersionControlProvider is specified')
      const { name } = vcsRef
      return versionControlProviders.get(formatKey({ namespace, name }))
        ? pass('Resolved', `VersionControlProvider ${name} exists`)
        : waitFor('MissingVcsProvider', `VersionControlProvider ${name} does not exist; create it`)
    },
  }
}
