import { isIP } from 'node:net'
import type { KubeObject } from '@agents/kube'
import type { Store } from '../../store/store.ts'

/** Where a webhook is called, and the name that its certificate must have. */
export interface WebhookAddress {
  readonly url: string
  readonly host: string
  readonly port: number
  /** Empty for an IP address, which TLS does not send. */
  readonly serverName: string
}

export interface WebhookService {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export function addressOfUrl(url: string): WebhookAddress {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return {
    url,
    host,
    port: port === '' ? 443 : Number(port),
    serverName: isIP(host) === 0 ? host : '',
  }
}

interface Slice extends KubeObject {
  endpoints?: { addresses?: string[]; conditions?: { ready?: boolean } }[]
  ports?: { name?: string; port?: number }[]
}

interface Service extends KubeObject {
  spec?: { type?: string; externalName?: string; ports?: { name?: string; port?: number }[] }
}

/** A ready endpoint of a Service. There is no cluster network, so that the endpoint is called directly. */
export function addressOfService(store: Store, service: WebhookService): WebhookAddress {
  const { namespace, name, path = '', port = 443 } = service
  const found = store.get(`/core/services/${namespace}/${name}`)?.value as Service | undefined
  if (found === undefined) throw new Error(`service "${name}" not found`)
  const portName = found.spec?.ports?.find((each) => each.port === port)
  if (portName === undefined) throw new Error(`no service port ${port} found for service "${name}"`)
  for (const { value } of store.list(`/discovery.k8s.io/endpointslices/${namespace}/`).entries) {
    const slice = value as Slice
    if (slice.metadata.labels?.['kubernetes.io/service-name'] !== name) continue
    const target = slice.ports?.find((each) => (each.name ?? '') === (portName.name ?? ''))
    const ready = slice.endpoints?.find(({ conditions }) => conditions?.ready !== false)
    const host = ready?.addresses?.[0]
    if (host === undefined || target?.port === undefined) continue
    const serverName = `${name}.${namespace}.svc`
    return { url: `https://${serverName}:${port}${path}`, host, port: target.port, serverName }
  }
  throw new Error(`no endpoints available for service "${name}"`)
}
