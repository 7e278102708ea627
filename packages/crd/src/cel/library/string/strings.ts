import { goEscapes } from '../../../go-text.ts'
import {
  costScan,
  costScanResultTwice,
  costScanTwice,
  costTraversal,
} from '../../declaration/call-cost.ts'
import { estimateScanTarget } from '../../declaration/call-estimate.ts'
import { type Apply, type Budget, fn, type Library, method } from '../../declaration/declaration.ts'
import { intType, listType, stringType } from '../../type/type.ts'
import { listItems, listOf } from '../../value/container.ts'
import { CelError, isList, noSuchOverload, type Value } from '../../value/value.ts'
import { estimateTraversal } from '../collection/lists.ts'
import { estimateJoin, estimateReplace, estimateSplit } from './string-estimates.ts'

const scanTarget = { cost: costScan, estimate: estimateScanTarget }
const traversal = { cost: costTraversal, estimate: estimateTraversal }
const stringList = listType(stringType)

/** The string functions of the CEL extension library, version 2. Indices count code points. */
export const strings: Library = [
  ['charAt', [method('string_char_at_int', [stringType, intType], stringType, charAt)]],
  [
    'indexOf',
    [
      method('string_index_of_string', [stringType, stringType], intType, indexOf, traversal),
      method(
        'string_index_of_string_int',
        [stringType, stringType, intType],
        intType,
        indexOf,
        traversal,
      ),
    ],
  ],
  [
    'lastIndexOf',
    [
      method(
        'string_last_index_of_string',
        [stringType, stringType],
        intType,
        lastIndexOf,
        traversal,
      ),
      method(
        'string_last_index_of_string_int',
        [stringType, stringType, intType],
        intType,
        lastIndexOf,
        traversal,
      ),
    ],
  ],
  [
    'lowerAscii',
    [method('string_lower_ascii', [stringType], stringType, mapAscii(/[A-Z]+/g), scanTarget)],
  ],
  [
    'upperAscii',
    [method('string_upper_ascii', [stringType], stringType, mapAscii(/[a-z]+/g), scanTarget)],
  ],
  ['trim', [method('string_trim', [stringType], stringType, trim, scanTarget)]],
  [
    'substring',
    [
      method('string_substring_int', [stringType, intType], stringType, substring, scanTarget),
      method(
        'string_substring_int_int',
        [stringType, intType, intType],
        stringType,
        substring,
        scanTarget,
      ),
    ],
  ],
  [
    'replace',
    [
      method(
        'string_replace_string_string',
        [stringType, stringType, stringType],
        stringType,
        replace,
        {
          cost: costScanTwice,
          estimate: estimateReplace,
        },
      ),
      method(
        'string_replace_string_string_int',
        [stringType, stringType, stringType, intType],
        stringType,
        replace,
        {
          cost: costScanTwice,
          estimate: estimateReplace,
        },
      ),
    ],
  ],
  [
    'split',
    [
      method('string_split_string', [stringType, stringType], stringList, split, {
        cost: costScanTwice,
        estimate: estimateSplit,
      }),
      method('string_split_string_int', [stringType, stringType, intType], stringList, split, {
        cost: costScanTwice,
        estimate: estimateSplit,
      }),
    ],
  ],
  [
    'join',
    [
      method('list_join', [stringList], stringType, join, {
        cost: costScanResultTwice,
        estimate: estimateJoin,
      }),
      method('list_join_string', [stringList, stringType], stringType, join, {
        cost: costScanResultTwice,
        estimate: estimateJoin,
      }),
    ],
  ],
  ['strings.quote', [fn('strings_quote', [stringType], stringType, quote, { cost: costScan })]],
]

function charAt([text, index]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof index !== 'bigint') return noSuchOverload
  const characters = [...text]
  if (index < 0n || index > BigInt(characters.length)) return outOfRange(index)
  return characters[Number(index)] ?? ''
}

function indexOf([text, part, start = 0n]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof part !== 'string') return noSuchOverload
  if (typeof start !== 'bigint') return noSuchOverload
  if (part === '') return start
  if (start < 0n) return outOfRange(start)
  const characters = [...text]
  if (start >= BigInt(characters.length)) return -1n
  const from = characters.slice(0, Number(start)).join('').length
  return codePointIndex(text, text.indexOf(part, from))
}

function lastIndexOf([text, part, start]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof part !== 'string') return noSuchOverload
  const characters = [...text]
  if (start === undefined) {
    if (part === '') return BigInt(characters.length)
    return codePointIndex(text, text.lastIndexOf(part))
  }
  if (typeof start !== 'bigint') return noSuchOverload
  if (part === '') return start
  if (start < 0n) return outOfRange(start)
  if (start >= BigInt(characters.length)) return -1n
  const from = characters.slice(0, Number(start)).join('').length
  return codePointIndex(text, text.lastIndexOf(part, from))
}

function codePointIndex(text: string, index: number): Value {
  return index < 0 ? -1n : BigInt([...text.slice(0, index)].length)
}

function mapAscii(pattern: RegExp): Apply {
  const lower = pattern.source.includes('A')
  return ([text]) =>
    typeof text === 'string'
      ? text.replace(pattern, (run) => (lower ? run.toLowerCase() : run.toUpperCase()))
      : noSuchOverload
}

function trim([text]: readonly Value[]): Value {
  if (typeof text !== 'string') return noSuchOverload
  let [start, end] = [0, text.length]
  while (start < end && isSpace(text, start)) start += 1
  while (start < end && isSpace(text, end - 1)) end -= 1
  return text.slice(start, end)
}

/** Unicode's White_Space: the characters that JavaScript trims, plus U+0085 and without the byte order mark. */
function isSpace(text: string, at: number): boolean {
  return /\p{White_Space}/u.test(text[at] ?? '')
}

function substring([text, start, end]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof start !== 'bigint') return noSuchOverload
  const characters = [...text]
  const length = BigInt(characters.length)
  const last = end ?? length
  if (typeof last !== 'bigint') return noSuchOverload
  if (end !== undefined && start > last) {
    return new CelError(`invalid substring range. start: ${start}, end: ${last}`)
  }
  if (start < 0n || start > length) return outOfRange(start)
  if (last < 0n || last > length) return outOfRange(last)
  return characters.slice(Number(start), Number(last)).join('')
}

function replace([text, from, to, limit = -1n]: readonly Value[], budget: Budget): Value {
  if (typeof text !== 'string' || typeof from !== 'string' || typeof to !== 'string') {
    return noSuchOverload
  }
  if (typeof limit !== 'bigint') return noSuchOverload
  const parts = from === '' ? ['', ...text, ''] : text.split(from)
  const count = Math.min(parts.length - 1, limit < 0n ? parts.length - 1 : Number(limit))
  // The result can be a million times longer than the input whose cost was charged.
  budget.require((count * to.length + text.length) / 10)
  let result = parts[0] ?? ''
  for (let index = 1; index < parts.length; index++) {
    result += (index <= count ? to : from) + (parts[index] ?? '')
  }
  return result
}

function split([text, separator, limit = -1n]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof separator !== 'string') return noSuchOverload
  if (typeof limit !== 'bigint') return noSuchOverload
  if (limit === 0n) return listOf([])
  const parts = separator === '' ? [...text] : text.split(separator)
  const count = limit < 0n ? parts.length : Math.min(parts.length, Number(limit))
  if (count === parts.length) return listOf(parts)
  return listOf([...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)])
}

function join([list = null, separator = '']: readonly Value[], budget: Budget): Value {
  if (!isList(list) || typeof separator !== 'string') return noSuchOverload
  budget.require((separator.length * list.items.length) / 10)
  const parts: string[] = []
  for (const item of listItems(list)) {
    if (typeof item !== 'string') return noSuchOverload
    parts.push(item)
  }
  return parts.join(separator)
}

function quote([text]: readonly Value[]): Value {
  if (typeof text !== 'string') return noSuchOverload
  const escaped = Array.from(
    text.toWellFormed(),
    (character) => goEscapes.get(character) ?? character,
  )
  return `"${escaped.join('')}"`
}

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`)
}
