import { lookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { errorCode, type ProbeOutcome } from './probe-outcome.ts'

/**
 * Addresses at which no store can be: metadata services of clouds, which give credentials to every pod, and addresses
 * that are not unicast.
 */
const forbidden = new BlockList()
forbidden.addSubnet('169.254.0.0', 16, 'ipv4')
forbidden.addSubnet('0.0.0.0', 8, 'ipv4')
forbidden.addSubnet('224.0.0.0', 4, 'ipv4')
forbidden.addSubnet('240.0.0.0', 4, 'ipv4')
forbidden.addAddress('100.100.100.200', 'ipv4')
forbidden.addAddress('::', 'ipv6')
forbidden.addSubnet('fe80::', 10, 'ipv6')
forbidden.addSubnet('ff00::', 8, 'ipv6')
forbidden.addAddress('fd00:ec2::254', 'ipv6')

type StoreHost =
  /** The resolved address to connect to, so that a second DNS lookup cannot return another one. */
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'unknown'; readonly error: unknown }

/** Resolves the host, and refuses it if any of its addresses is forbidden. */
export async function resolveStoreHost(host: string): Promise<StoreHost> {
  try {
    const all = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }]
    if (all.some(({ address }) => isForbidden(address))) return { kind: 'forbidden' }
    const [first] = all
    return first
      ? { kind: 'address', address: first.address }
      : { kind: 'unknown', error: undefined }
  } catch (error) {
    return { kind: 'unknown', error }
  }
}

/** The outcome for a host that is not probed. */
export function notProbed(host: Exclude<StoreHost, { readonly kind: 'address' }>): ProbeOutcome {
  return host.kind === 'forbidden'
    ? { kind: 'invalid', message: 'its host is a link-local, metadata or multicast address' }
    : { kind: 'unreachable', message: `the host cannot be resolved (${errorCode(host.error)})` }
}

function isForbidden(address: string): boolean {
  const [plain = ''] = address.split('%')
  return forbidden.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}
