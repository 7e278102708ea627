import {
  isNotFound,
  type KubeClient,
  type PersistentVolumeClaim,
  PersistentVolumeClaimKind,
} from '@agents/kube'

/** Says about a claim that it has its storage, where nobody else provides any: a folder of the node is that. */
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
