import {
  type Container,
  type Pod,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from '@agents/kube'
import { ConfigError } from '../pod-config/config-error.ts'

/** Properties of the node that pods may refer to. */
export interface NodeFacts {
  readonly nodeName: string
  readonly hostIP: string
  /** Used if a container has no limit of its own. */
  readonly capacity: Readonly<Record<string, string>>
}

/** The value of a `fieldRef`. */
export function fieldValue(pod: Pod, fieldPath: string, node: NodeFacts): string {
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath)
  if (keyed !== null) {
    const [, field, key = ''] = keyed
    const map = field === 'labels' ? pod.metadata.labels : pod.metadata.annotations
    return map?.[key] ?? ''
  }
  const read = fields[fieldPath]
  if (read === undefined) throw new ConfigError(`unsupported fieldPath: ${fieldPath}`)
  return read(pod, node)
}

const fields: Readonly<Record<string, (pod: Pod, node: NodeFacts) => string>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
  'metadata.uid': ({ metadata }) => metadata.uid ?? '',
  'metadata.labels': ({ metadata }) => mapLines(metadata.labels),
  'metadata.annotations': ({ metadata }) => mapLines(metadata.annotations),
  'spec.nodeName': (_pod, { nodeName }) => nodeName,
  'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
  'status.hostIP': (_pod, { hostIP }) => hostIP,
  'status.hostIPs': (_pod, { hostIP }) => hostIP,
  'status.podIP': (_pod, { hostIP }) => hostIP,
  'status.podIPs': (_pod, { hostIP }) => hostIP,
}

function mapLines(map: Readonly<Record<string, string>> = {}): string {
  return Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n')
}

/** The value of a `resourceFieldRef`, in units of its divisor, rounded up. */
export function resourceValue(
  { resources, name }: Container,
  { resource, divisor }: { resource: string; divisor?: string },
  node: NodeFacts,
): string {
  const [kind, ...rest] = resource.split('.')
  const of = rest.join('.')
  if ((kind !== 'limits' && kind !== 'requests') || of === '') {
    throw new ConfigError(`container ${name}: unsupported resource ${resource}`)
  }
  const given = resources?.[kind]?.[of]
  const amount = parseQuantity(given ?? (kind === 'limits' ? (node.capacity[of] ?? '0') : '0'))
  const unit = parseQuantity(divisor === undefined || divisor === '0' ? '1' : divisor)
  if (of !== 'cpu') return String(ceilDivide(quantityValue(amount), quantityValue(unit)))
  return String(ceilDivide(quantityMilliValue(amount), quantityMilliValue(unit)))
}

function ceilDivide(a: bigint | number, b: bigint | number): bigint {
  const [amount, unit] = [BigInt(a), BigInt(b)]
  return unit === 0n ? amount : (amount + unit - 1n) / unit
}
