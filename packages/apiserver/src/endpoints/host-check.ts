import type { IncomingMessage } from 'node:http'

const ownNames = new Set([
  'localhost',
  '127.0.0.1',
  '[::1]',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
])

/**
 * Reports whether a request is meant for this server. A web page can reach a loopback port through a host name of its
 * own (DNS rebinding) or from a foreign origin. Both are visible in headers that pages cannot forge.
 */
export function isAllowedHost(request: IncomingMessage, extraNames: readonly string[]): boolean {
  const { host, origin } = request.headers
  if (host !== undefined && !isOwn(hostName(host), extraNames)) return false
  if (origin === undefined) return true
  const name = /^https?:\/\/([^/]+)$/.exec(origin)?.[1]
  return name !== undefined && isOwn(hostName(name), extraNames)
}

function isOwn(name: string, extraNames: readonly string[]): boolean {
  return ownNames.has(name) || extraNames.includes(name)
}

function hostName(host: string): string {
  const bracket = host.lastIndexOf(']')
  const colon = host.lastIndexOf(':')
  return (colon > bracket ? host.slice(0, colon) : host).toLowerCase()
}
