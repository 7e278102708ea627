import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import { ageColumn, column, nameColumn, printer, wideColumn } from '../printer.ts'
import { type LabelSelector, labelsText, selectorOrNone } from '../selector-text.ts'

interface LoadBalancer {
  ingress?: readonly { ip?: string; hostname?: string }[]
}

interface Service extends KubeObject {
  spec?: {
    type?: string
    clusterIPs?: readonly string[]
    externalIPs?: readonly string[]
    externalName?: string
    selector?: Record<string, string>
    ports?: readonly { port: number; nodePort?: number; protocol?: string }[]
  }
  status?: { loadBalancer?: LoadBalancer }
}

interface Ingress extends KubeObject {
  spec?: {
    ingressClassName?: string
    rules?: readonly { host?: string }[]
    tls?: readonly object[]
  }
  status?: { loadBalancer?: LoadBalancer }
}

interface IngressClass extends KubeObject {
  spec?: { controller?: string; parameters?: { apiGroup?: string; kind: string; name: string } }
}

interface NetworkPolicy extends KubeObject {
  spec?: { podSelector?: LabelSelector }
}

interface IpAddress extends KubeObject {
  spec?: { parentRef?: { group?: string; resource?: string; namespace?: string; name?: string } }
}

interface ServiceCidr extends KubeObject {
  spec?: { cidrs?: readonly string[] }
}

export const servicePrinter = printer<Service>(
  [
    nameColumn,
    column('Type'),
    column('Cluster-IP'),
    column('External-IP'),
    column('Port(s)'),
    ageColumn,
    wideColumn('Selector'),
  ],
  (service, now) => [
    service.metadata.name,
    service.spec?.type ?? '',
    service.spec?.clusterIPs?.[0] ?? '<none>',
    externalAddress(service),
    servicePorts(service),
    age(service.metadata.creationTimestamp, now),
    labelsText(service.spec?.selector),
  ],
)

export const ingressPrinter = printer<Ingress>(
  [nameColumn, column('Class'), column('Hosts'), column('Address'), column('Ports'), ageColumn],
  ({ metadata, spec, status }, now) => [
    metadata.name,
    spec?.ingressClassName ?? '<none>',
    hosts(spec?.rules ?? []),
    addresses(status?.loadBalancer).join(','),
    (spec?.tls ?? []).length > 0 ? '80, 443' : '80',
    age(metadata.creationTimestamp, now),
  ],
)

export const ingressClassPrinter = printer<IngressClass>(
  [nameColumn, column('Controller'), column('Parameters'), ageColumn],
  ({ metadata, spec }, now) => {
    const isDefault =
      metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true'
    return [
      isDefault ? `${metadata.name} (default)` : metadata.name,
      spec?.controller ?? '',
      parameters(spec?.parameters),
      age(metadata.creationTimestamp, now),
    ]
  },
)

export const networkPolicyPrinter = printer<NetworkPolicy>(
  [nameColumn, column('Pod-Selector'), ageColumn],
  ({ metadata, spec }, now) => [
    metadata.name,
    selectorOrNone(spec?.podSelector),
    age(metadata.creationTimestamp, now),
  ],
)

export const ipAddressPrinter = printer<IpAddress>(
  // Like upstream, the row has an age but there is no column for it.
  [nameColumn, column('ParentRef')],
  ({ metadata, spec }, now) => [
    metadata.name,
    parent(spec?.parentRef),
    age(metadata.creationTimestamp, now),
  ],
)

export const serviceCidrPrinter = printer<ServiceCidr>(
  [nameColumn, column('CIDRs'), ageColumn],
  ({ metadata, spec }, now) => [
    metadata.name,
    (spec?.cidrs ?? []).join(','),
    age(metadata.creationTimestamp, now),
  ],
)

function externalAddress({ spec, status }: Service): string {
  const given = spec?.externalIPs ?? []
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return given.join(',') || '<none>'
    case 'LoadBalancer':
      return [...addresses(status?.loadBalancer), ...given].join(',') || '<pending>'
    case 'ExternalName':
      return spec.externalName ?? ''
    default:
      return '<unknown>'
  }
}

function addresses(balancer: LoadBalancer | undefined): string[] {
  const found = (balancer?.ingress ?? []).map(({ ip, hostname }) => ip || (hostname ?? ''))
  return [...new Set(found.filter((address) => address !== ''))].sort()
}

function servicePorts({ spec }: Service): string {
  const ports = (spec?.ports ?? []).map(({ port, nodePort = 0, protocol = '' }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  )
  return ports.join(',') || '<none>'
}

/** Prints at most three hosts. Like upstream, the rest counts all further rules, with or without a host. */
function hosts(rules: readonly { host?: string }[]): string {
  const named: string[] = []
  let more = false
  for (const { host } of rules) {
    if (named.length === 3) more = true
    else if (host) named.push(host)
  }
  if (named.length === 0) return '*'
  return more ? `${named.join(',')} + ${rules.length - 3} more...` : named.join(',')
}

function parameters(given: { apiGroup?: string; kind: string; name: string } | undefined): string {
  if (given === undefined) return '<none>'
  const kind = given.apiGroup === undefined ? given.kind : `${given.kind}.${given.apiGroup}`
  return `${kind}/${given.name}`
}

function parent(
  reference: { group?: string; resource?: string; namespace?: string; name?: string } | undefined,
): string {
  if (reference === undefined) return '<none>'
  const { group, resource = '', namespace, name = '' } = reference
  const kind = (group ? `${resource}.${group}` : resource).toLowerCase()
  return namespace ? `${kind}/${namespace}/${name}` : `${kind}/${name}`
}
