import { costScan } from '../../declaration/call-cost.ts'
import { estimateOne, estimateScanArgument } from '../../declaration/call-estimate.ts'
import { type Apply, fn, type Library, method } from '../../declaration/declaration.ts'
import { boolType, intType, stringType, structType } from '../../type/type.ts'
import {
  CelError,
  isOpaque,
  noSuchOverload,
  type OpaqueKind,
  type Value,
} from '../../value/value.ts'
import {
  compareVersions,
  parseTolerantVersion,
  parseVersion,
  type Version,
} from './semantic-version.ts'

const semverType = structType('kubernetes.Semver')
const unitCost = { estimate: estimateOne }
const parseCost = { cost: costScan, estimate: estimateScanArgument }

const semverKind: OpaqueKind = {
  name: semverType.name,
  equal: (left, right) => compareVersions(left as Version, right as Version) === 0,
}

/** Functions on semantic versions. If the second argument is true, `v1.2` and leading zeros are accepted too. */
export const semver: Library = [
  [
    'semver',
    [
      fn('string_to_semver', [stringType], semverType, parse, parseCost),
      fn('string_bool_to_semver', [stringType, boolType], semverType, parse, parseCost),
    ],
  ],
  [
    'isSemver',
    [
      fn('is_semver_string', [stringType], boolType, isSemver, parseCost),
      fn('is_semver_string_bool', [stringType, boolType], boolType, isSemver, parseCost),
    ],
  ],
  [
    'isGreaterThan',
    [
      method(
        'semver_is_greater_than',
        [semverType, semverType],
        boolType,
        compared((o) => o > 0),
        unitCost,
      ),
    ],
  ],
  [
    'isLessThan',
    [
      method(
        'semver_is_less_than',
        [semverType, semverType],
        boolType,
        compared((o) => o < 0),
        unitCost,
      ),
    ],
  ],
  [
    'compareTo',
    [
      method(
        'semver_compare_to',
        [semverType, semverType],
        intType,
        compared((o) => BigInt(o)),
        unitCost,
      ),
    ],
  ],
  [
    'major',
    [
      method(
        'semver_major',
        [semverType],
        intType,
        part((version) => version.major),
        unitCost,
      ),
    ],
  ],
  [
    'minor',
    [
      method(
        'semver_minor',
        [semverType],
        intType,
        part((version) => version.minor),
        unitCost,
      ),
    ],
  ],
  [
    'patch',
    [
      method(
        'semver_patch',
        [semverType],
        intType,
        part((version) => version.patch),
        unitCost,
      ),
    ],
  ],
]

function parse([text, tolerant = false]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof tolerant !== 'boolean') return noSuchOverload
  const content = tolerant ? parseTolerantVersion(text) : parseVersion(text)
  if (typeof content === 'string') return new CelError(content)
  return { kind: 'opaque', type: semverKind, content }
}

function isSemver(args: readonly Value[]): Value {
  const value = parse(args)
  return value === noSuchOverload ? value : !(value instanceof CelError)
}

function compared(result: (order: -1 | 0 | 1) => Value): Apply {
  return ([left = null, right = null]) => {
    const [a, b] = [versionOf(left), versionOf(right)]
    return a === undefined || b === undefined ? noSuchOverload : result(compareVersions(a, b))
  }
}

function part(read: (version: Version) => bigint): Apply {
  return ([value = null]) => {
    const version = versionOf(value)
    return version === undefined ? noSuchOverload : read(version)
  }
}

function versionOf(value: Value): Version | undefined {
  return isOpaque(value) && value.type === semverKind ? (value.content as Version) : undefined
}
