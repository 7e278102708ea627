import {
  isConflict,
  isNotFound,
  type KubeClient,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PersistentVolumeClaimKind,
  PersistentVolumeKind,
} from '@agents/kube'

/** Marks the volumes of this provisioner, and keeps other controllers from reclaiming them. */
export const provisionedBy = 'pv.kubernetes.io/provisioned-by'
export const provisioner = 'local-node'

export function volumeNameOf(claimUid: string): string {
  return `pvc-${claimUid}`
}

/**
 * Binds a claim to a volume that is a folder of this machine. Each step may have been done before. The volume comes
 * first: it is the record of a folder that has to be removed with the claim.
 */
export async function provideVolume(
  client: Pick<KubeClient, 'create' | 'patch'>,
  claim: PersistentVolumeClaim,
  folderOf: (uid: string) => string,
): Promise<void> {
  const { uid = '', deletionTimestamp } = claim.metadata
  const name = volumeNameOf(uid)
  const { volumeName = '' } = claim.spec
  if (deletionTimestamp !== undefined || (volumeName !== '' && volumeName !== name)) return
  if (volumeName === name && claim.status?.phase === 'Bound') return
  await ignoring(isConflict, client.create(PersistentVolumeKind, volumeFor(claim, folderOf(uid))))
  const { accessModes, resources } = claim.spec
  const bound = { phase: 'Bound', accessModes, capacity: resources?.requests }
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' }
  const metadata = { uid }
  const volumeStatus = { type: 'merge', body: { status: { phase: 'Bound' } } } as const
  // A claim that was deleted meanwhile needs no volume: its volume is removed.
  await ignoring(isNotFound, async () => {
    const body = { metadata: { ...metadata, annotations }, spec: { volumeName: name } }
    await client.patch(PersistentVolumeClaimKind, claim.metadata, { type: 'merge', body })
    await client.patch(PersistentVolumeKind, { name }, volumeStatus, { subresource: 'status' })
    const status = { type: 'merge', body: { metadata, status: bound } } as const
    await client.patch(PersistentVolumeClaimKind, claim.metadata, status, { subresource: 'status' })
  })
}

function volumeFor({ metadata, spec }: PersistentVolumeClaim, path: string): PersistentVolume {
  const { uid = '', namespace, name } = metadata
  const { accessModes, resources, storageClassName, volumeMode } = spec
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volumeNameOf(uid), annotations: { [provisionedBy]: provisioner } },
    spec: {
      ...(accessModes && { accessModes }),
      capacity: { storage: resources?.requests?.storage ?? '0' },
      claimRef: claimRef as PersistentVolume['spec']['claimRef'] & object,
      hostPath: { path },
      persistentVolumeReclaimPolicy: 'Delete',
      ...(storageClassName && { storageClassName }),
      ...(volumeMode && { volumeMode }),
    },
  }
}

async function ignoring(
  isExpected: (error: unknown) => boolean,
  work: Promise<unknown> | (() => Promise<unknown>),
): Promise<void> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    if (!isExpected(error)) throw error
  }
}
