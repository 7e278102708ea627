import { type Clock, Controller, fromInformer, mappedSource } from '@agents/controller'
import {
  formatKey,
  type Informers,
  isNotFound,
  type KubeClient,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PersistentVolumeClaimKind,
  PersistentVolumeKind,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import type { StateFolder } from '../folder/pod-folder.ts'
import { provideVolume, provisionedBy, provisioner, volumeNameOf } from './provide-volume.ts'

interface VolumeOptions {
  readonly client: KubeClient
  readonly informers: Informers
  readonly logger: Logger
  readonly clock?: Clock
}

interface VolumeControllers {
  readonly controllers: readonly Pick<Controller, 'run'>[]
  release(): Promise<void>
}

/** Provides a volume for each claim, and removes the volumes of deleted claims together with their data. */
export function createVolumeControllers(
  { client, informers, logger: log, clock }: VolumeOptions,
  state: Pick<StateFolder, 'claim' | 'removeClaim'>,
): VolumeControllers {
  const claims = informers.acquire(PersistentVolumeClaimKind)
  const volumes = informers.acquire(PersistentVolumeKind)
  const shared = { log, ...(clock && { clock }) }
  const binding = new Controller<PersistentVolumeClaim>({
    ...shared,
    name: 'claims',
    kind: PersistentVolumeClaimKind,
    primary: fromInformer(claims),
    reconcile: async (claim) => {
      await provideVolume(client, claim, state.claim)
      return {}
    },
  })
  const removal = new Controller<PersistentVolume>({
    ...shared,
    name: 'volumes',
    kind: PersistentVolumeKind,
    primary: fromInformer(volumes),
    sources: [
      mappedSource('claims', fromInformer(claims), ({ metadata }) => [
        { name: volumeNameOf(metadata.uid ?? '') },
      ]),
    ],
    reconcile: async (volume) => {
      const { namespace = '', name = '', uid = '' } = volume.spec.claimRef ?? {}
      if (!isProvided(volume, uid)) return {}
      const known = claims.informer.store.get(formatKey({ namespace, name }))
      if (known?.metadata.uid === uid) return {}
      // The cache may be older than the volume.
      if ((await uidOfClaim(client, { namespace, name })) !== uid) {
        await removeVolume(client, volume, () => state.removeClaim(uid))
      }
      return {}
    },
  })
  return {
    controllers: [binding, removal],
    release: async () => void (await Promise.all([claims.release(), volumes.release()])),
  }
}

/** Only its own name ties a volume to the folder of a claim: the claim that it refers to may be anything. */
function isProvided({ metadata }: PersistentVolume, claimUid: string): boolean {
  const isMarked = metadata.annotations?.[provisionedBy] === provisioner
  return isMarked && claimUid !== '' && metadata.name === volumeNameOf(claimUid)
}

async function uidOfClaim(
  client: KubeClient,
  key: { readonly namespace: string; readonly name: string },
): Promise<string | undefined> {
  try {
    return (await client.get(PersistentVolumeClaimKind, key)).metadata.uid
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** The data goes first: without the volume, nothing would show that it is left. */
async function removeVolume(
  client: KubeClient,
  { metadata }: PersistentVolume,
  removeData: () => Promise<void>,
): Promise<void> {
  await removeData()
  const { name, uid } = metadata
  const released = {
    type: 'merge',
    body: { metadata: { uid }, status: { phase: 'Released' } },
  } as const
  try {
    // A bound volume is protected from deletion.
    await client.patch(PersistentVolumeKind, { name }, released, { subresource: 'status' })
    await client.delete(
      PersistentVolumeKind,
      { name },
      uid === undefined ? {} : { preconditions: { uid } },
    )
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
