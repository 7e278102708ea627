import { listOf } from '../container.ts'
import { costOne, regexCost, sizeOf } from '../cost.ts'
import { type Cost, fn, type Library, method } from '../declaration.ts'
import { type Estimate, estimateOne, REGEX_FACTOR, STRING_FACTOR } from '../estimate-call.ts'
import { type NamedFormat, namedFormats } from '../named-format.ts'
import { scaleRange } from '../range.ts'
import { listType, optionalType, STRING, structType } from '../type.ts'
import {
  isOpaque,
  NO_SUCH_OVERLOAD,
  NONE,
  type OpaqueKind,
  optional,
  type Value,
} from '../value.ts'

const FORMAT = structType('kubernetes.NamedFormat')

const FORMAT_KIND: OpaqueKind = {
  name: FORMAT.name,
  equal: (left, right) => (left as NamedFormat).name === (right as NamedFormat).name,
}

/** What upstream takes every format's pattern for when it estimates. */
const ESTIMATED_REGEX_SIZE = 128

const validateCost: Cost = ([value = null, text]) => {
  const content = formatOf(value)
  return content === undefined ? 1 : regexCost(sizeOf(text), content.regexSize)
}

const estimateValidate: Estimate = ({ args: [text], sizeOf: size }) => {
  if (text === undefined) return undefined
  const scan = scaleRange(size(text), STRING_FACTOR)
  return { cost: scaleRange(scan, ESTIMATED_REGEX_SIZE * REGEX_FACTOR) }
}

/** Formats by name: `format.dns1123Label().validate(self)` gives the reasons why not, or nothing. */
export const format: Library = [
  [
    'format.named',
    [
      fn('format-named', [STRING], optionalType(FORMAT), named, {
        cost: costOne,
        estimate: estimateOne,
      }),
    ],
  ],
  [
    'validate',
    [
      method('format-validate', [FORMAT, STRING], optionalType(listType(STRING)), validate, {
        cost: validateCost,
        estimate: estimateValidate,
      }),
    ],
  ],
  ...Array.from(
    namedFormats(),
    ([key, content]) =>
      [
        `format.${key}`,
        [fn(`format.${key}`, [], FORMAT, () => ({ kind: 'opaque', type: FORMAT_KIND, content }))],
      ] as const,
  ),
]

function named([name]: readonly Value[]): Value {
  if (typeof name !== 'string') return NO_SUCH_OVERLOAD
  const content = namedFormats().get(name)
  return content === undefined ? NONE : optional({ kind: 'opaque', type: FORMAT_KIND, content })
}

function validate([value = null, text]: readonly Value[]): Value {
  const content = formatOf(value)
  if (content === undefined || typeof text !== 'string') return NO_SUCH_OVERLOAD
  const errors = content.validate(text)
  return errors.length === 0 ? NONE : optional(listOf(errors))
}

function formatOf(value: Value): NamedFormat | undefined {
  return isOpaque(value) && value.type === FORMAT_KIND ? (value.content as NamedFormat) : undefined
}
