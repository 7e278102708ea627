import { goQuote } from '../../go-text.ts'
import { costOne, costScan, costScanTwice } from '../cost.ts'
import { type Apply, fn, type Library, method } from '../declaration.ts'
import { estimateOne, estimateScanArgument, estimateScanArgumentTwice } from '../estimate-call.ts'
import {
  type Address,
  addressWidth,
  formatAddress,
  isV4Mapped,
  parseAddress,
} from '../ip-address.ts'
import { BOOL, INT, opaqueType, STRING } from '../type.ts'
import { CelError, isOpaque, NO_SUCH_OVERLOAD, type OpaqueKind, type Value } from '../value.ts'

export const IP = opaqueType('net.IP')

const IP_KIND: OpaqueKind = {
  name: IP.name,
  equal: (left, right) => {
    const [a, b] = [left as Address, right as Address]
    return a.family === b.family && a.bits === b.bits
  },
  size: (content) => addressWidth((content as Address).family) / 8,
}

const ONE = { cost: costOne, estimate: estimateOne }
const PARSE = { cost: costScan, estimate: estimateScanArgument }

/** IP addresses, IPv4 and IPv6; neither zones nor IPv4-mapped IPv6 addresses. */
export const ip: Library = [
  ['ip', [fn('string_to_ip', [STRING], IP, ([text]) => stringToIp(text ?? null), PARSE)]],
  [
    'isIP',
    [
      fn(
        'is_ip',
        [STRING],
        BOOL,
        ([text]) =>
          typeof text === 'string' ? !(stringToIp(text) instanceof CelError) : NO_SUCH_OVERLOAD,
        PARSE,
      ),
    ],
  ],
  [
    'ip.isCanonical',
    [
      fn('ip_is_canonical', [STRING], BOOL, isCanonical, {
        cost: costScanTwice,
        estimate: estimateScanArgumentTwice,
      }),
    ],
  ],
  [
    'family',
    [
      method(
        'ip_family',
        [IP],
        INT,
        accessor((address) => BigInt(address.family)),
        ONE,
      ),
    ],
  ],
  ['isUnspecified', [method('ip_is_unspecified', [IP], BOOL, accessor(isUnspecified), ONE)]],
  ['isLoopback', [method('ip_is_loopback', [IP], BOOL, accessor(isLoopback), ONE)]],
  [
    'isLinkLocalMulticast',
    [method('ip_is_link_local_multicast', [IP], BOOL, accessor(isLinkLocalMulticast), ONE)],
  ],
  [
    'isLinkLocalUnicast',
    [method('ip_is_link_local_unicast', [IP], BOOL, accessor(isLinkLocalUnicast), ONE)],
  ],
  ['isGlobalUnicast', [method('ip_is_global_unicast', [IP], BOOL, accessor(isGlobalUnicast), ONE)]],
  ['string', [fn('ip_to_string', [IP], STRING, accessor(formatAddress))]],
]

export function ipValue(address: Address): Value {
  return { kind: 'opaque', type: IP_KIND, content: address }
}

export function addressOf(value: Value): Address | undefined {
  return isOpaque(value) && value.type === IP_KIND ? (value.content as Address) : undefined
}

export function stringToIp(text: Value): Value {
  if (typeof text !== 'string') return NO_SUCH_OVERLOAD
  const parsed = parseAddress(text)
  const quoted = goQuote(text)
  if ('error' in parsed) {
    return new CelError(
      `IP Address ${quoted} parse error during conversion from string: ${parsed.error}`,
    )
  }
  if (parsed.zone !== undefined) {
    return new CelError(`IP address ${quoted} with zone value is not allowed`)
  }
  if (isV4Mapped(parsed.value)) {
    return new CelError(`IPv4-mapped IPv6 address ${quoted} is not allowed`)
  }
  return ipValue(parsed.value)
}

function isCanonical([text = null]: readonly Value[]): Value {
  const value = stringToIp(text)
  if (value instanceof CelError) return value
  const address = addressOf(value)
  return address !== undefined && formatAddress(address) === text
}

function accessor(read: (address: Address) => Value): Apply {
  return ([value = null]) => {
    const address = addressOf(value)
    return address === undefined ? NO_SUCH_OVERLOAD : read(address)
  }
}

function isUnspecified({ bits }: Address): boolean {
  return bits === 0n
}

function isLoopback({ bits, family }: Address): boolean {
  return family === 4 ? bits >> 24n === 127n : bits === 1n
}

function isLinkLocalMulticast({ bits, family }: Address): boolean {
  return family === 4
    ? bits >> 8n === 0xe00000n
    : (bits >> 112n) & 0xff0fn
      ? ((bits >> 112n) & 0xff0fn) === 0xff02n
      : false
}

function isLinkLocalUnicast({ bits, family }: Address): boolean {
  return family === 4 ? bits >> 16n === 0xa9fen : bits >> 118n === 0x3fan
}

function isMulticast({ bits, family }: Address): boolean {
  return family === 4 ? bits >> 28n === 0xen : bits >> 120n === 0xffn
}

function isGlobalUnicast(address: Address): boolean {
  const broadcast = address.family === 4 && address.bits === 0xffffffffn
  return !(
    broadcast ||
    isUnspecified(address) ||
    isLoopback(address) ||
    isMulticast(address) ||
    isLinkLocalUnicast(address)
  )
}
