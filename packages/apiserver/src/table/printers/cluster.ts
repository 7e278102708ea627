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

interface Node extends KubeObject {
  spec?: { unschedulable?: boolean }
  status?: {
    conditions?: readonly { type: string; status: string }[]
    addresses?: readonly { type: string; address: string }[]
    nodeInfo?: {
      kubeletVersion?: string
      osImage?: string
      kernelVersion?: string
      containerRuntimeVersion?: string
      architecture?: string
    }
  }
}

interface Namespace extends KubeObject {
  status?: { phase?: string }
}

interface ComponentStatus extends KubeObject {
  conditions?: readonly { type: string; status: string; message?: string; error?: string }[]
}

interface Lease extends KubeObject {
  spec?: { holderIdentity?: string }
}

interface PriorityClass extends KubeObject {
  value?: number
  globalDefault?: boolean
  preemptionPolicy?: string
}

interface RuntimeClass extends KubeObject {
  handler?: string
}

interface ApiService extends KubeObject {
  spec?: { service?: { namespace?: string; name?: string } | null }
  status?: { conditions?: readonly { type: string; status: string; reason?: string }[] }
}

export const nodePrinter = printer<Node>(
  [
    nameColumn,
    column('Status'),
    column('Roles'),
    ageColumn,
    column('Version'),
    wideColumn('Internal-IP'),
    wideColumn('External-IP'),
    wideColumn('OS-Image'),
    wideColumn('Kernel-Version'),
    wideColumn('Container-Runtime'),
  ],
  (node, now) => {
    const info = node.status?.nodeInfo ?? {}
    const kernel = info.kernelVersion || '<unknown>'
    return [
      node.metadata.name,
      nodeStatus(node),
      nodeRoles(node).join(',') || '<none>',
      age(node.metadata.creationTimestamp, now),
      info.kubeletVersion ?? '',
      nodeAddress(node, 'InternalIP'),
      nodeAddress(node, 'ExternalIP'),
      info.osImage || '<unknown>',
      info.architecture ? `${kernel} (${info.architecture})` : kernel,
      info.containerRuntimeVersion || '<unknown>',
    ]
  },
)

export const namespacePrinter = printer<Namespace>(
  [nameColumn, column('Status'), ageColumn],
  ({ metadata, status }, now) => [
    metadata.name,
    status?.phase ?? '',
    age(metadata.creationTimestamp, now),
  ],
)

export const componentStatusPrinter = printer<ComponentStatus>(
  [nameColumn, column('Status'), column('Message'), column('Error')],
  ({ metadata, conditions }) => {
    const healthy = conditions?.find(({ type }) => type === 'Healthy')
    const status =
      healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy'
    return [metadata.name, status, healthy?.message ?? '', healthy?.error ?? '']
  },
)

export const leasePrinter = printer<Lease>(
  [nameColumn, column('Holder'), ageColumn],
  ({ metadata, spec }, now) => [
    metadata.name,
    spec?.holderIdentity ?? '',
    age(metadata.creationTimestamp, now),
  ],
)

export const priorityClassPrinter = printer<PriorityClass>(
  [
    nameColumn,
    integerColumn('Value'),
    booleanColumn('Global-Default'),
    ageColumn,
    column('PreemptionPolicy'),
  ],
  ({ metadata, value = 0, globalDefault = false, preemptionPolicy = '' }, now) => [
    metadata.name,
    value,
    globalDefault,
    age(metadata.creationTimestamp, now),
    preemptionPolicy,
  ],
)

export const runtimeClassPrinter = printer<RuntimeClass>(
  [nameColumn, column('Handler'), ageColumn],
  ({ metadata, handler = '' }, now) => [
    metadata.name,
    handler,
    age(metadata.creationTimestamp, now),
  ],
)

export const apiServicePrinter = printer<ApiService>(
  [nameColumn, column('Service'), column('Available'), ageColumn],
  ({ metadata, spec, status }, now) => {
    const service = spec?.service
    const available = status?.conditions?.find(({ type }) => type === 'Available')
    const reason = available?.status === 'True' ? '' : (available?.reason ?? '')
    return [
      metadata.name,
      service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
      `${available?.status ?? 'Unknown'}${reason === '' ? '' : ` (${reason})`}`,
      age(metadata.creationTimestamp, now),
    ]
  },
)

function nodeStatus({ spec, status }: Node): string {
  // Like upstream, the last condition of a type counts.
  const ready = status?.conditions?.findLast(({ type }) => type === 'Ready')
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state
}

const rolePrefix = 'node-role.kubernetes.io/'

function nodeRoles({ metadata }: Node): string[] {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length)
    return key === 'kubernetes.io/role' ? value : ''
  })
  return [...new Set(roles.filter((role) => role !== ''))].sort()
}

function nodeAddress({ status }: Node, wanted: string): string {
  return status?.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>'
}
