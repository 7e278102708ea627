import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import {
  ageColumn,
  booleanColumn,
  column,
  integerColumn,
  nameColumn,
  printer,
  wideColumn,
} from '../printer.ts'

type Quantity = string | number

interface PersistentVolume extends KubeObject {
  spec?: {
    capacity?: { storage?: Quantity }
    accessModes?: readonly string[]
    persistentVolumeReclaimPolicy?: string
    claimRef?: { namespace?: string; name?: string }
    storageClassName?: string
    volumeAttributesClassName?: string
    volumeMode?: string
  }
  status?: { phase?: string; reason?: string }
}

interface PersistentVolumeClaim extends KubeObject {
  spec?: {
    volumeName?: string
    storageClassName?: string
    volumeAttributesClassName?: string
    volumeMode?: string
  }
  status?: {
    phase?: string
    accessModes?: readonly string[]
    capacity?: { storage?: Quantity }
  }
}

interface StorageClass extends KubeObject {
  provisioner?: string
  reclaimPolicy?: string
  volumeBindingMode?: string
  allowVolumeExpansion?: boolean
}

interface CsiDriver extends KubeObject {
  spec?: {
    attachRequired?: boolean
    podInfoOnMount?: boolean
    storageCapacity?: boolean
    requiresRepublish?: boolean
    tokenRequests?: readonly { audience: string }[]
    volumeLifecycleModes?: readonly string[]
  }
}

interface CsiNode extends KubeObject {
  spec?: { drivers?: readonly object[] | null }
}

interface VolumeAttachment extends KubeObject {
  spec?: { attacher?: string; nodeName?: string; source?: { persistentVolumeName?: string } }
  status?: { attached?: boolean }
}

interface VolumeAttributesClass extends KubeObject {
  driverName?: string
}

export const persistentVolumePrinter = printer<PersistentVolume>(
  [
    nameColumn,
    column('Capacity'),
    column('Access Modes'),
    column('Reclaim Policy'),
    column('Status'),
    column('Claim'),
    column('StorageClass'),
    column('VolumeAttributesClass'),
    column('Reason'),
    ageColumn,
    wideColumn('VolumeMode'),
  ],
  ({ metadata, spec, status }, now) => [
    metadata.name,
    String(spec?.capacity?.storage ?? '0'),
    accessModes(spec?.accessModes),
    spec?.persistentVolumeReclaimPolicy ?? '',
    metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
    spec?.claimRef === undefined
      ? ''
      : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`,
    storageClass(metadata.annotations, spec?.storageClassName),
    spec?.volumeAttributesClassName ?? '<unset>',
    status?.reason ?? '',
    age(metadata.creationTimestamp, now),
    spec?.volumeMode ?? '<unset>',
  ],
)

export const persistentVolumeClaimPrinter = printer<PersistentVolumeClaim>(
  [
    nameColumn,
    column('Status'),
    column('Volume'),
    column('Capacity'),
    column('Access Modes'),
    column('StorageClass'),
    column('VolumeAttributesClass'),
    ageColumn,
    wideColumn('VolumeMode'),
  ],
  ({ metadata, spec, status }, now) => {
    const volume = spec?.volumeName ?? ''
    return [
      metadata.name,
      metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
      volume,
      volume === '' ? '' : String(status?.capacity?.storage ?? '0'),
      volume === '' ? '' : accessModes(status?.accessModes),
      storageClass(metadata.annotations, spec?.storageClassName),
      spec?.volumeAttributesClassName ?? '<unset>',
      age(metadata.creationTimestamp, now),
      spec?.volumeMode ?? '<unset>',
    ]
  },
)

export const storageClassPrinter = printer<StorageClass>(
  [
    nameColumn,
    column('Provisioner'),
    column('ReclaimPolicy'),
    column('VolumeBindingMode'),
    column('AllowVolumeExpansion'),
    ageColumn,
  ],
  ({ metadata, provisioner = '', ...storage }, now) => [
    isDefaultClass(metadata.annotations) ? `${metadata.name} (default)` : metadata.name,
    provisioner,
    storage.reclaimPolicy ?? 'Delete',
    storage.volumeBindingMode ?? 'Immediate',
    storage.allowVolumeExpansion ?? false,
    age(metadata.creationTimestamp, now),
  ],
)

export const csiDriverPrinter = printer<CsiDriver>(
  [
    nameColumn,
    booleanColumn('AttachRequired'),
    booleanColumn('PodInfoOnMount'),
    booleanColumn('StorageCapacity'),
    column('TokenRequests'),
    booleanColumn('RequiresRepublish'),
    column('Modes'),
    ageColumn,
  ],
  ({ metadata, spec = {} }, now) => [
    metadata.name,
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
    spec.requiresRepublish ?? false,
    (spec.volumeLifecycleModes ?? []).join(',') || '<none>',
    age(metadata.creationTimestamp, now),
  ],
)

export const csiNodePrinter = printer<CsiNode>(
  [nameColumn, integerColumn('Drivers'), ageColumn],
  ({ metadata, spec }, now) => [
    metadata.name,
    spec?.drivers?.length ?? 0,
    age(metadata.creationTimestamp, now),
  ],
)

export const volumeAttachmentPrinter = printer<VolumeAttachment>(
  [
    nameColumn,
    column('Attacher', { format: 'name' }),
    column('PV'),
    column('Node'),
    booleanColumn('Attached'),
    ageColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata.name,
    spec?.attacher ?? '',
    spec?.source?.persistentVolumeName ?? '',
    spec?.nodeName ?? '',
    status?.attached ?? false,
    age(metadata.creationTimestamp, now),
  ],
)

export const volumeAttributesClassPrinter = printer<VolumeAttributesClass>(
  [nameColumn, column('DriverName'), ageColumn],
  ({ metadata, driverName = '' }, now) => [
    metadata.name,
    driverName,
    age(metadata.creationTimestamp, now),
  ],
)

const shortModes: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

function accessModes(modes: readonly string[] | undefined): string {
  return shortModes
    .filter(([mode]) => modes?.includes(mode) === true)
    .map(([, short]) => short)
    .join(',')
}

type Annotations = Readonly<Record<string, string>> | undefined

function storageClass(annotations: Annotations, named: string | undefined): string {
  return annotations?.['volume.beta.kubernetes.io/storage-class'] ?? named ?? ''
}

function isDefaultClass(annotations: Annotations): boolean {
  return (
    annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ||
    annotations?.['storageclass.beta.kubernetes.io/is-default-class'] === 'true'
  )
}
