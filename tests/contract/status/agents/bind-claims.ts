import {
  isConflict,
  isNotFound,
  type KubeClient,
  type PersistentVolumeClaim,
  PersistentVolumeClaimKind,
} from '@agents/kube'
import type { EnvironmentPorts } from '../contract-subject.ts'

/** Takes the place of a provisioner: every claim is bound immediately. */
export function bindClaims({ client, informers, namespace }: EnvironmentPorts): void {
  informers.acquire<PersistentVolumeClaim>(PersistentVolumeClaimKind, { namespace }).addHandler({
    onAdd: (claim) => void bind(client, claim),
    onUpdate: () => undefined,
    onDelete: () => undefined,
  })
}

async function bind(client: KubeClient, { metadata, status }: PersistentVolumeClaim) {
  if (status?.phase === 'Bound') return
  const spec = { volumeName: `pvc-${metadata.uid}` }
  const bound = { type: 'merge', body: { status: { phase: 'Bound' } } } as const
  try {
    await client.patch(PersistentVolumeClaimKind, metadata, { type: 'merge', body: { spec } })
    await client.patch(PersistentVolumeClaimKind, metadata, bound, { subresource: 'status' })
  } catch (error) {
    // Two controllers may patch at the same time, and a test may end meanwhile.
    if (!isConflict(error) && !isNotFound(error)) throw error
  }
}
