import { isIPv4, isIPv6 } from 'node:net'
import { secondsTimestamp } from '../../metadata/timestamps.ts'
import type { KindRules } from '../strategy/kind-rules.ts'

/** The name of an IPAddress is the address. */
export const addressRules: KindRules = { nameRule: (name) => addressProblems(name) }

/** Name of the ServiceCIDR that contains the addresses of the services. */
export const defaultServiceCidr = 'kubernetes'

export const serviceCidrRules: KindRules = {
  statusKeeps: 'metadata',
  prepareForCreate(cidr, { now }) {
    if (cidr.metadata.name !== defaultServiceCidr) return
    const ready = {
      type: 'Ready',
      status: 'True',
      lastTransitionTime: secondsTimestamp(now),
      reason: '',
      message: 'Kubernetes default Service CIDR is ready',
    }
    cidr.status = { conditions: [ready] }
  },
}

function addressProblems(name: string): string[] {
  if (isIPv4(name)) return []
  if (
    /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name) &&
    name.split('.').every((part) => Number(part) < 256)
  ) {
    return ['must not have leading 0s']
  }
  // Node accepts zones.
  if (!isIPv6(name) || name.includes('%')) {
    return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']
  }
  const canonical = new URL(`http://[${name}]`).hostname.slice(1, -1)
  if (/^::ffff:[0-9a-f]{1,4}:[0-9a-f]{1,4}$/.test(canonical)) {
    return ['must not be an IPv4-mapped IPv6 address']
  }
  return canonical === name ? [] : [`must be in canonical form ("${canonical}")`]
}
