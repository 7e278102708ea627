import type { Workspace } from '@agents/jangar-api'
import {
  compareQuantities,
  type New,
  type PersistentVolumeClaim,
  parseQuantity,
} from '@agents/kube'
import { labels, labelValue } from '../../kubernetes/labels.ts'

/** The claim of a Workspace has its name. */
export function claimOf({ metadata, spec }: Workspace): New<PersistentVolumeClaim> & {
  metadata: { name: string }
} {
  const { name, namespace } = metadata
  const { storageClassName, size = '' } = spec ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: { [labels.workspace]: labelValue(name) },
    },
    spec: {
      accessModes: accessModesOf(spec),
      resources: { requests: { storage: size } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  }
}

function accessModesOf(spec: Workspace['spec']): string[] {
  const { accessModes = [] } = spec ?? {}
  return accessModes.length === 0 ? ['ReadWriteOnce'] : [...new Set(accessModes)]
}

/** The first field of the Workspace that differs from its claim. A claim cannot be changed. */
export function changedField(
  workspace: Workspace,
  claim: PersistentVolumeClaim,
): string | undefined {
  const { storageClassName, size = '' } = workspace.spec ?? {}
  const { spec } = claim
  const requested = spec.resources?.requests?.storage ?? ''
  if (requested !== '' && !isSameQuantity(size, requested)) return 'spec.size'
  const modes = accessModesOf(workspace.spec).sort().join()
  if (modes !== [...(spec.accessModes ?? [])].sort().join()) return 'spec.accessModes'
  // The cluster fills in its default.
  if (storageClassName !== undefined && storageClassName !== spec.storageClassName) {
    return 'spec.storageClassName'
  }
  return undefined
}

function isSameQuantity(a: string, b: string): boolean {
  return a === b || compareQuantities(parseQuantity(a), parseQuantity(b)) === 0
}
