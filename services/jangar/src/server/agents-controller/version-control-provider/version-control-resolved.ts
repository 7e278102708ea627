import { type Gate, type GateVerdict, pass } from '@agents/controller'
import type { implementationSpecConditions } from '@agents/jangar-api'
import { formatKey, type KubeObject } from '@agents/kube'
import type { ReasonOf } from '@agents/status'
import type { AgentsCaches } from '../agents-caches.ts'
import { waitFor } from '../wait-for.ts'

type Refers = KubeObject & { readonly spec: { readonly vcsRef?: { readonly name: string } } }
type Reason = ReasonOf<typeof implementationSpecConditions, 'VersionControlResolved'>

/** Of every kind that may name a VersionControlProvider. Whether it is ready is for the runs that use it to ask. */
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
      if (!vcsRef) return pass('NotRequired', 'no VersionControlProvider is named')
      const { name } = vcsRef
      return versionControlProviders.get(formatKey({ namespace, name }))
        ? pass('Resolved', `VersionControlProvider ${name} is there`)
        : waitFor('MissingVcsProvider', `VersionControlProvider ${name} does not exist; create it`)
    },
  }
}
