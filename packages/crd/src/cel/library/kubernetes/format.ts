import { scaleRange } from '../../cost/range.ts'
import { costOne, regexCost, sizeOf } from '../../declaration/call-cost.ts'
import {
  type CallEstimate,
  type EstimateCall,
  estimateOne,
  regexFactor,
  stringFactor,
} from '../../declaration/call-estimate.ts'
import { fn, type Library, method } from '../../declaration/declaration.ts'
import { listType, optionalType, stringType, structType } from '../../type/type.ts'
import { listOf } from '../../value/container.ts'
import {
  isOpaque,
  noOptional,
  noSuchOverload,
  type OpaqueKind,
  optional,
  type Value,
} from '../../value/value.ts'
import { type NamedFormat, namedFormats } from './named-format.ts'

const formatType = structType('kubernetes.NamedFormat')

const formatKind: OpaqueKind = {
  name: formatType.name,
  equal: (left, right) => (left as NamedFormat).name === (right as NamedFormat).name,
}

/** The pattern size that upstream assumes for every format in its estimates. */
const estimatedRegexSize = 128

function validateCost([value = null, text]: readonly Value[]): number {
  const content = formatOf(value)
  return content === undefined ? 1 : regexCost(sizeOf(text), content.regexSize)
}

function estimateValidate({ args: [text], sizeOf: size }: EstimateCall): CallEstimate | undefined {
  if (text === undefined) return undefined
  const scan = scaleRange(size(text), stringFactor)
  return { cost: scaleRange(scan, estimatedRegexSize * regexFactor) }
}

/** Formats by name: `format.dns1123Label().validate(self)` returns the problems of the text, or none. */
export const format: Library = [
  [
    'format.named',
    [
      fn('format-named', [stringType], optionalType(formatType), named, {
        cost: costOne,
        estimate: estimateOne,
      }),
    ],
  ],
  [
    'validate',
    [
      method(
        'format-validate',
        [formatType, stringType],
        optionalType(listType(stringType)),
        validate,
        {
          cost: validateCost,
          estimate: estimateValidate,
        },
      ),
    ],
  ],
  ...Array.from(
    namedFormats(),
    ([key, content]) =>
      [
        `format.${key}`,
        [
          fn(`format.${key}`, [], formatType, () => ({
            kind: 'opaque',
            type: formatKind,
            content,
          })),
        ],
      ] as const,
  ),
]

function named([name]: readonly Value[]): Value {
  if (typeof name !== 'string') return noSuchOverload
  const content = namedFormats().get(name)
  return content === undefined
    ? noOptional
    : optional({ kind: 'opaque', type: formatKind, content })
}

function validate([value = null, text]: readonly Value[]): Value {
  const content = formatOf(value)
  if (content === undefined || typeof text !== 'string') return noSuchOverload
  const errors = content.validate(text)
  return errors.length === 0 ? noOptional : optional(listOf(errors))
}

function formatOf(value: Value): NamedFormat | undefined {
  return isOpaque(value) && value.type === formatKind ? (value.content as NamedFormat) : undefined
}
