import { goQuote } from '../../../go-text.ts'
import { addRanges, fixed, scaleRange } from '../../cost/range.ts'
import { costOne, costScan, scanCost, sizeOf } from '../../declaration/call-cost.ts'
import {
  type Estimate,
  estimateOne,
  estimateScanArgument,
  stringFactor,
} from '../../declaration/call-estimate.ts'
import { type Apply, type Cost, fn, type Library, method } from '../../declaration/declaration.ts'
import { boolType, intType, opaqueType, stringType } from '../../type/type.ts'
import {
  CelError,
  isOpaque,
  noSuchOverload,
  type OpaqueKind,
  type Value,
} from '../../value/value.ts'
import { addressOf, ipType, ipValue, stringToIp } from './ip.ts'
import {
  type Address,
  addressWidth,
  formatAddress,
  isV4Mapped,
  parseAddress,
  samePrefix,
} from './ip-address.ts'

interface Prefix {
  readonly address: Address
  readonly length: number
}

const cidrType = opaqueType('net.CIDR')

const cidrKind: OpaqueKind = {
  name: cidrType.name,
  equal: (left, right) => formatPrefix(left as Prefix) === formatPrefix(right as Prefix),
  size: (content) => Math.ceil((content as Prefix).length / 8),
}

const unitCost = { cost: costOne, estimate: estimateOne }
const parseCost = { cost: costScan, estimate: estimateScanArgument }

/** Functions on networks such as `10.0.0.0/8`. */
export const cidr: Library = [
  [
    'cidr',
    [
      fn(
        'string_to_cidr',
        [stringType],
        cidrType,
        ([text = null]) => stringToCidr(text),
        parseCost,
      ),
    ],
  ],
  [
    'isCIDR',
    [
      fn(
        'is_cidr',
        [stringType],
        boolType,
        ([text]) =>
          typeof text === 'string' ? !(stringToCidr(text) instanceof CelError) : noSuchOverload,
        parseCost,
      ),
    ],
  ],
  [
    'containsIP',
    [
      method('cidr_contains_ip_string', [cidrType, stringType], boolType, containsIp, {
        cost: containsCost(false, true),
        estimate: estimateContains(false, true),
      }),
      method('cidr_contains_ip_ip', [cidrType, ipType], boolType, containsIp, {
        cost: containsCost(false, false),
        estimate: estimateContains(false, false),
      }),
    ],
  ],
  [
    'containsCIDR',
    [
      method('cidr_contains_cidr_string', [cidrType, stringType], boolType, containsCidr, {
        cost: containsCost(true, true),
        estimate: estimateContains(true, true),
      }),
      method('cidr_contains_cidr', [cidrType, cidrType], boolType, containsCidr, {
        cost: containsCost(true, false),
        estimate: estimateContains(true, false),
      }),
    ],
  ],
  [
    'ip',
    [
      method(
        'cidr_ip',
        [cidrType],
        ipType,
        accessor(({ address }) => ipValue(address)),
        unitCost,
      ),
    ],
  ],
  [
    'prefixLength',
    [
      method(
        'cidr_prefix_length',
        [cidrType],
        intType,
        accessor(({ length }) => BigInt(length)),
        unitCost,
      ),
    ],
  ],
  ['masked', [method('cidr_masked', [cidrType], cidrType, accessor(masked), unitCost)]],
  ['string', [fn('cidr_to_string', [cidrType], stringType, accessor(formatPrefix))]],
]

function stringToCidr(text: Value): Value {
  if (typeof text !== 'string') return noSuchOverload
  const parsed = parsePrefix(text)
  if (typeof parsed === 'string') {
    return new CelError(`network address parse error during conversion from string: ${parsed}`)
  }
  return { kind: 'opaque', type: cidrKind, content: parsed }
}

/** Parses a network prefix, or returns the error. */
function parsePrefix(text: string): Prefix | string {
  const again = 'network address parse error during conversion from string: '
  const fail = (reason: string) => `${again}netip.ParsePrefix(${goQuote(text)}): ${reason}`
  const slash = text.lastIndexOf('/')
  if (slash < 0) return fail("no '/'")
  const parsed = parseAddress(text.slice(0, slash))
  if ('error' in parsed) return fail(parsed.error)
  if (parsed.zone !== undefined) return fail('IPv6 zones cannot be present in a prefix')
  const bits = text.slice(slash + 1)
  if (!/^(0|[1-9][0-9]*)$/.test(bits)) return fail(`bad bits after slash: ${goQuote(bits)}`)
  const length = Number(bits)
  if (length > addressWidth(parsed.value.family)) return fail('prefix length out of range')
  if (isV4Mapped(parsed.value)) return `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`
  return { address: parsed.value, length }
}

function prefixOf(value: Value): Prefix | undefined {
  return isOpaque(value) && value.type === cidrKind ? (value.content as Prefix) : undefined
}

function containsIp([network = null, argument = null]: readonly Value[]): Value {
  const prefix = prefixOf(network)
  const value = typeof argument === 'string' ? stringToIp(argument) : argument
  if (value instanceof CelError) return unparsedError
  const address = addressOf(value)
  if (prefix === undefined || address === undefined) return noSuchOverload
  return samePrefix(prefix.address, address, prefix.length)
}

function containsCidr([network = null, argument = null]: readonly Value[]): Value {
  const prefix = prefixOf(network)
  const value = typeof argument === 'string' ? stringToCidr(argument) : argument
  if (value instanceof CelError) return unparsedError
  const other = prefixOf(value)
  if (prefix === undefined || other === undefined) return noSuchOverload
  return prefix.length <= other.length && samePrefix(prefix.address, other.address, prefix.length)
}

/** The error for an invalid argument, which upstream does not describe. */
const unparsedError = new CelError('no such overload')

function masked({ address, length }: Prefix): Value {
  const shift = BigInt(addressWidth(address.family) - length)
  const content: Prefix = {
    address: { ...address, bits: (address.bits >> shift) << shift },
    length,
  }
  return { kind: 'opaque', type: cidrKind, content }
}

function formatPrefix({ address, length }: Prefix): string {
  return `${formatAddress(address)}/${length}`
}

function accessor(read: (prefix: Prefix) => Value): Apply {
  return ([value = null]) => {
    const prefix = prefixOf(value)
    return prefix === undefined ? noSuchOverload : read(prefix)
  }
}

function containsCost(network: boolean, text: boolean): Cost {
  return ([prefix, argument]) => {
    const size = sizeOf(prefix)
    const compare = scanCost(2 * size) + (network ? scanCost(size) + 1 : 0)
    return compare + (text ? scanCost(sizeOf(argument)) : 0)
  }
}

function estimateContains(network: boolean, text: boolean): Estimate {
  const bytes = { min: 4, max: 16 }
  return ({ args: [argument], sizeOf: size }) => {
    if (argument === undefined) return undefined
    let cost = scaleRange(addRanges(bytes, bytes), stringFactor)
    if (network) cost = addRanges(addRanges(cost, scaleRange(bytes, stringFactor)), fixed(1))
    if (text) cost = addRanges(cost, scaleRange(size(argument), stringFactor))
    return { cost }
  }
}
