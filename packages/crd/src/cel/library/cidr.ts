import { goQuote } from '../../go-text.ts'
import { costOne, costScan, scanCost, sizeOf } from '../cost.ts'
import { type Apply, type Cost, fn, type Library, method } from '../declaration.ts'
import {
  type Estimate,
  estimateOne,
  estimateScanArgument,
  STRING_FACTOR,
} from '../estimate-call.ts'
import {
  type Address,
  addressWidth,
  formatAddress,
  isV4Mapped,
  parseAddress,
  samePrefix,
} from '../ip-address.ts'
import { addRanges, fixed, scaleRange } from '../range.ts'
import { BOOL, INT, opaqueType, STRING } from '../type.ts'
import { CelError, isOpaque, NO_SUCH_OVERLOAD, type OpaqueKind, type Value } from '../value.ts'
import { addressOf, IP, ipValue, stringToIp } from './ip.ts'

interface Prefix {
  readonly address: Address
  readonly length: number
}

const CIDR = opaqueType('net.CIDR')

const CIDR_KIND: OpaqueKind = {
  name: CIDR.name,
  equal: (left, right) => formatPrefix(left as Prefix) === formatPrefix(right as Prefix),
  size: (content) => Math.ceil((content as Prefix).length / 8),
}

const ONE = { cost: costOne, estimate: estimateOne }
const PARSE = { cost: costScan, estimate: estimateScanArgument }

/** Networks such as `10.0.0.0/8`. */
export const cidr: Library = [
  ['cidr', [fn('string_to_cidr', [STRING], CIDR, ([text = null]) => stringToCidr(text), PARSE)]],
  [
    'isCIDR',
    [
      fn(
        'is_cidr',
        [STRING],
        BOOL,
        ([text]) =>
          typeof text === 'string' ? !(stringToCidr(text) instanceof CelError) : NO_SUCH_OVERLOAD,
        PARSE,
      ),
    ],
  ],
  [
    'containsIP',
    [
      method('cidr_contains_ip_string', [CIDR, STRING], BOOL, containsIp, {
        cost: containsCost(false, true),
        estimate: estimateContains(false, true),
      }),
      method('cidr_contains_ip_ip', [CIDR, IP], BOOL, containsIp, {
        cost: containsCost(false, false),
        estimate: estimateContains(false, false),
      }),
    ],
  ],
  [
    'containsCIDR',
    [
      method('cidr_contains_cidr_string', [CIDR, STRING], BOOL, containsCidr, {
        cost: containsCost(true, true),
        estimate: estimateContains(true, true),
      }),
      method('cidr_contains_cidr', [CIDR, CIDR], BOOL, containsCidr, {
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
        [CIDR],
        IP,
        accessor(({ address }) => ipValue(address)),
        ONE,
      ),
    ],
  ],
  [
    'prefixLength',
    [
      method(
        'cidr_prefix_length',
        [CIDR],
        INT,
        accessor(({ length }) => BigInt(length)),
        ONE,
      ),
    ],
  ],
  ['masked', [method('cidr_masked', [CIDR], CIDR, accessor(masked), ONE)]],
  ['string', [fn('cidr_to_string', [CIDR], STRING, accessor(formatPrefix))]],
]

function stringToCidr(text: Value): Value {
  if (typeof text !== 'string') return NO_SUCH_OVERLOAD
  const parsed = parsePrefix(text)
  if (typeof parsed === 'string') {
    return new CelError(`network address parse error during conversion from string: ${parsed}`)
  }
  return { kind: 'opaque', type: CIDR_KIND, content: parsed }
}

/** A prefix, or why the text is none. */
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
  return isOpaque(value) && value.type === CIDR_KIND ? (value.content as Prefix) : undefined
}

function containsIp([network = null, argument = null]: readonly Value[]): Value {
  const prefix = prefixOf(network)
  const value = typeof argument === 'string' ? stringToIp(argument) : argument
  if (value instanceof CelError) return UNPARSED
  const address = addressOf(value)
  if (prefix === undefined || address === undefined) return NO_SUCH_OVERLOAD
  return samePrefix(prefix.address, address, prefix.length)
}

function containsCidr([network = null, argument = null]: readonly Value[]): Value {
  const prefix = prefixOf(network)
  const value = typeof argument === 'string' ? stringToCidr(argument) : argument
  if (value instanceof CelError) return UNPARSED
  const other = prefixOf(value)
  if (prefix === undefined || other === undefined) return NO_SUCH_OVERLOAD
  return prefix.length <= other.length && samePrefix(prefix.address, other.address, prefix.length)
}

/** Upstream does not say what is wrong with the argument. */
const UNPARSED = new CelError('no such overload')

function masked({ address, length }: Prefix): Value {
  const shift = BigInt(addressWidth(address.family) - length)
  const content: Prefix = {
    address: { ...address, bits: (address.bits >> shift) << shift },
    length,
  }
  return { kind: 'opaque', type: CIDR_KIND, content }
}

function formatPrefix({ address, length }: Prefix): string {
  return `${formatAddress(address)}/${length}`
}

function accessor(read: (prefix: Prefix) => Value): Apply {
  return ([value = null]) => {
    const prefix = prefixOf(value)
    return prefix === undefined ? NO_SUCH_OVERLOAD : read(prefix)
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
    let cost = scaleRange(addRanges(bytes, bytes), STRING_FACTOR)
    if (network) cost = addRanges(addRanges(cost, scaleRange(bytes, STRING_FACTOR)), fixed(1))
    if (text) cost = addRanges(cost, scaleRange(size(argument), STRING_FACTOR))
    return { cost }
  }
}
