import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import { ageColumn, column, integerColumn, nameColumn, printer, wideColumn } from '../printer.ts'
import { type LabelSelector, labelsText, selectorOrNone, selectorText } from '../selector-text.ts'
import { containerCells, containerColumns, type PodTemplate } from './containers.ts'

interface Workload extends KubeObject {
  spec?: { replicas?: number; selector?: LabelSelector; template?: PodTemplate }
  status?: {
    replicas?: number
    readyReplicas?: number
    updatedReplicas?: number
    availableReplicas?: number
  }
}

interface DaemonSet extends KubeObject {
  spec?: { selector?: LabelSelector; template?: PodTemplate }
  status?: {
    desiredNumberScheduled?: number
    currentNumberScheduled?: number
    numberReady?: number
    updatedNumberScheduled?: number
    numberAvailable?: number
  }
}

interface ReplicationController extends KubeObject {
  spec?: { replicas?: number; selector?: Record<string, string>; template?: PodTemplate }
  status?: { replicas?: number; readyReplicas?: number }
}

interface PodTemplateObject extends KubeObject {
  template?: PodTemplate
}

interface ControllerRevision extends KubeObject {
  revision?: number | bigint
}

export const deploymentPrinter = printer<Workload>(
  [
    nameColumn,
    column('Ready', { description: 'Pods that are ready, of those wanted.' }),
    column('Up-to-date', { description: 'Pods of the newest template.' }),
    column('Available', { description: 'Pods that have been ready long enough.' }),
    ageColumn,
    ...containerColumns,
    wideColumn('Selector'),
  ],
  ({ metadata, spec, status }, now) => [
    metadata.name,
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
    selectorText(spec?.selector),
  ],
)

/** The printer of kinds with replicas. `selector` prints the selector of the kind. */
function replicaPrinter<T extends Workload | ReplicationController>(
  selector: (object: T) => string,
) {
  return printer<T>(
    [
      nameColumn,
      integerColumn('Desired'),
      integerColumn('Current'),
      integerColumn('Ready'),
      ageColumn,
      ...containerColumns,
      wideColumn('Selector'),
    ],
    (object, now) => [
      object.metadata.name,
      object.spec?.replicas ?? 0,
      object.status?.replicas ?? 0,
      object.status?.readyReplicas ?? 0,
      age(object.metadata.creationTimestamp, now),
      ...containerCells(object.spec?.template),
      selector(object),
    ],
  )
}

export const replicaSetPrinter = replicaPrinter<Workload>(({ spec }) =>
  selectorOrNone(spec?.selector),
)

export const replicationControllerPrinter = replicaPrinter<ReplicationController>(({ spec }) =>
  labelsText(spec?.selector),
)

export const statefulSetPrinter = printer<Workload>(
  [nameColumn, column('Ready'), ageColumn, ...containerColumns],
  ({ metadata, spec, status }, now) => [
    metadata.name,
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
  ],
)

export const daemonSetPrinter = printer<DaemonSet>(
  [
    nameColumn,
    integerColumn('Desired'),
    integerColumn('Current'),
    integerColumn('Ready'),
    integerColumn('Up-to-date'),
    integerColumn('Available'),
    column('Node Selector'),
    ageColumn,
    ...containerColumns,
    wideColumn('Selector'),
  ],
  ({ metadata, spec, status }, now) => [
    metadata.name,
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    labelsText(spec?.template?.spec?.nodeSelector),
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
    selectorOrNone(spec?.selector),
  ],
)

export const podTemplatePrinter = printer<PodTemplateObject>(
  [nameColumn, column('Containers'), column('Images'), column('Pod Labels')],
  ({ metadata, template }) => [
    metadata.name,
    ...containerCells(template),
    labelsText(template?.metadata?.labels),
  ],
)

export const controllerRevisionPrinter = printer<ControllerRevision>(
  [nameColumn, column('Controller'), column('Revision'), ageColumn],
  ({ metadata, revision }, now) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
    return [
      metadata.name,
      owner === undefined ? '<none>' : ownerText(owner.apiVersion, owner.kind, owner.name),
      revision ?? 0,
      age(metadata.creationTimestamp, now),
    ]
  },
)

function ownerText(apiVersion: string, kind: string, name: string): string {
  const slash = apiVersion.indexOf('/')
  const qualified = slash === -1 ? kind : `${kind}.${apiVersion.slice(0, slash)}`
  return `${qualified.toLowerCase()}/${name}`
}
