import { goQuote } from '../../../go-text.ts'
import { costOne, costScan, costScanTwice } from '../../declaration/call-cost.ts'
import {
  estimateOne,
  estimateScanArgument,
  estimateScanArgumentTwice,
} from '../../declaration/call-estimate.ts'
import { type Apply, fn, type Library, method } from '../../declaration/declaration.ts'
import { boolType, intType, opaqueType, stringType } from '../../type/type.ts'
import {
  CelError,
  isOpaque,
  noSuchOverload,
  type OpaqueKind,
  type Value,
} from '../../value/value.ts'
import {
  type Address,
  addressWidth,
  formatAddress,
  isV4Mapped,
  parseAddress,
} from './ip-address.ts'

export const ipType = opaqueType('net.IP')

const ipKind: OpaqueKind = {
  name: ipType.name,
  equal: (left, right) => {
    const [a, b] = [left as Address, right as Address]
    return a.family === b.family && a.bits === b.bits
  },
  size: (content) => addressWidth((content as Address).family) / 8,
}

const unitCost = { cost: costOne, estimate: estimateOne }
const parseCost = { cost: costScan, estimate: estimateScanArgument }

/** Functions on IPv4 and IPv6 addresses, without zones and IPv4-mapped IPv6 addresses. */
export const ip: Library = [
  [
    'ip',
    [fn('string_to_ip', [stringType], ipType, ([text]) => stringToIp(text ?? null), parseCost)],
  ],
  [
    'isIP',
    [
      fn(
        'is_ip',
        [stringType],
        boolType,
        ([text]) =>
          typeof text === 'string' ? !(stringToIp(text) instanceof CelError) : noSuchOverload,
        parseCost,
      ),
    ],
  ],
  [
    'ip.isCanonical',
    [
      fn('ip_is_canonical', [stringType], boolType, isCanonical, {
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
        [ipType],
        intType,
        accessor((address) => BigInt(address.family)),
        unitCost,
      ),
    ],
  ],
  [
    'isUnspecified',
    [method('ip_is_unspecified', [ipType], boolType, accessor(isUnspecified), unitCost)],
  ],
  ['isLoopback', [method('ip_is_loopback', [ipType], boolType, accessor(isLoopback), unitCost)]],
  [
    'isLinkLocalMulticast',
    [
      method(
        'ip_is_link_local_multicast',
        [ipType],
        boolType,
        accessor(isLinkLocalMulticast),
        unitCost,
      ),
    ],
  ],
  [
    'isLinkLocalUnicast',
    [
      method(
        'ip_is_link_local_unicast',
        [ipType],
        boolType,
        accessor(isLinkLocalUnicast),
        unitCost,
      ),
    ],
  ],
  [
    'isGlobalUnicast',
    [method('ip_is_global_unicast', [ipType], boolType, accessor(isGlobalUnicast), unitCost)],
  ],
  ['string', [fn('ip_to_string', [ipType], stringType, accessor(formatAddress))]],
]

export function ipValue(address: Address): Value {
  return { kind: 'opaque', type: ipKind, content: address }
}

export function addressOf(value: Value): Address | undefined {
  return isOpaque(value) && value.type === ipKind ? (value.content as Address) : undefined
}

export function stringToIp(text: Value): Value {
  if (typeof text !== 'string') return noSuchOverload
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
    return address === undefined ? noSuchOverload : read(address)
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
