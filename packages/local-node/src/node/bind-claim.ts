import {
  isNotFound,
  type KubeClient,
  type PersistentVolumeClaim,
  PersistentVolumeClaimKind,
} from '@agents/kube'

/** Marks a claim as bound. Its storage is a folder of the node. */
export async function bindClaim(client: KubeClient, claim: PersistentVolumeClaim): Promise<void> {
  if (claim.status?.phase === 'Bound') return
  const { accessModes, resources } = claim.spec
  const status = { phase: 'Bound', accessModes, capacity: resources?.requests }
  const body = { metadata: { uid: claim.metadata.uid }, status }
  try {
    await client.patch(
      PersistentVolumeClaimKind,
      claim.metadata,
      { type: 'merge', body },
      { subresource: 'status' },
    )
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
