import { costScan } from '../cost.ts'
import { type Apply, fn, type Library, method } from '../declaration.ts'
import { estimateOne, estimateScanArgument } from '../estimate-call.ts'
import {
  compareVersions,
  parseTolerantVersion,
  parseVersion,
  type Version,
} from '../semantic-version.ts'
import { BOOL, INT, STRING, structType } from '../type.ts'
import { CelError, isOpaque, NO_SUCH_OVERLOAD, type OpaqueKind, type Value } from '../value.ts'

const SEMVER = structType('kubernetes.Semver')
const ONE = { estimate: estimateOne }
const PARSE = { cost: costScan, estimate: estimateScanArgument }

const SEMVER_KIND: OpaqueKind = {
  name: SEMVER.name,
  equal: (left, right) => compareVersions(left as Version, right as Version) === 0,
}

/** Semantic versions; with `true` as second argument also `v1.2` and leading zeros. */
export const semver: Library = [
  [
    'semver',
    [
      fn('string_to_semver', [STRING], SEMVER, parse, PARSE),
      fn('string_bool_to_semver', [STRING, BOOL], SEMVER, parse, PARSE),
    ],
  ],
  [
    'isSemver',
    [
      fn('is_semver_string', [STRING], BOOL, isSemver, PARSE),
      fn('is_semver_string_bool', [STRING, BOOL], BOOL, isSemver, PARSE),
    ],
  ],
  [
    'isGreaterThan',
    [
      method(
        'semver_is_greater_than',
        [SEMVER, SEMVER],
        BOOL,
        compared((o) => o > 0),
        ONE,
      ),
    ],
  ],
  [
    'isLessThan',
    [
      method(
        'semver_is_less_than',
        [SEMVER, SEMVER],
        BOOL,
        compared((o) => o < 0),
        ONE,
      ),
    ],
  ],
  [
    'compareTo',
    [
      method(
        'semver_compare_to',
        [SEMVER, SEMVER],
        INT,
        compared((o) => BigInt(o)),
        ONE,
      ),
    ],
  ],
  [
    'major',
    [
      method(
        'semver_major',
        [SEMVER],
        INT,
        part((version) => version.major),
        ONE,
      ),
    ],
  ],
  [
    'minor',
    [
      method(
        'semver_minor',
        [SEMVER],
        INT,
        part((version) => version.minor),
        ONE,
      ),
    ],
  ],
  [
    'patch',
    [
      method(
        'semver_patch',
        [SEMVER],
        INT,
        part((version) => version.patch),
        ONE,
      ),
    ],
  ],
]

function parse([text, tolerant = false]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof tolerant !== 'boolean') return NO_SUCH_OVERLOAD
  const content = tolerant ? parseTolerantVersion(text) : parseVersion(text)
  if (typeof content === 'string') return new CelError(content)
  return { kind: 'opaque', type: SEMVER_KIND, content }
}

function isSemver(args: readonly Value[]): Value {
  const value = parse(args)
  return value === NO_SUCH_OVERLOAD ? value : !(value instanceof CelError)
}

function compared(result: (order: -1 | 0 | 1) => Value): Apply {
  return ([left = null, right = null]) => {
    const [a, b] = [versionOf(left), versionOf(right)]
    return a === undefined || b === undefined ? NO_SUCH_OVERLOAD : result(compareVersions(a, b))
  }
}

function part(read: (version: Version) => bigint): Apply {
  return ([value = null]) => {
    const version = versionOf(value)
    return version === undefined ? NO_SUCH_OVERLOAD : read(version)
  }
}

function versionOf(value: Value): Version | undefined {
  return isOpaque(value) && value.type === SEMVER_KIND ? (value.content as Version) : undefined
}
