import { type Document, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml'
import { SopsError } from './sops-error.ts'
import type { Leaf } from './value-cipher.ts'

interface LeafPosition {
  readonly scalar: Scalar
  /** Names of the maps on the way. Places in a list are not part of a path, as SOPS has it. */
  readonly keys: readonly string[]
}

/** Every leaf of a document but null, in the order in which SOPS counts them. */
export function* documentLeaves(document: Document): Generator<LeafPosition> {
  if (!isMap(document.contents))
    throw new SopsError('the document is not a map', { code: 'invalid' })
  yield* leavesOf(document.contents, [])
}

function* leavesOf(node: unknown, keys: readonly string[]): Generator<LeafPosition> {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? key.value : key
      if (typeof name !== 'string')
        throw new SopsError('a key of the document is not a string', { code: 'invalid' })
      yield* leavesOf(value, [...keys, name])
    }
  } else if (isSeq(node)) {
    for (const item of node.items) yield* leavesOf(item, keys)
  } else if (isScalar(node)) {
    if (node.value !== null) yield { scalar: node, keys }
  } else if (node !== null) {
    throw new SopsError('the document contains an alias', { code: 'invalid' })
  }
}

/** The text that encryption binds a value to. */
export function pathText(keys: readonly string[]): string {
  return `${keys.join(':')}:`
}

export function leafOf(scalar: Scalar): Leaf {
  const { value } = scalar
  switch (typeof value) {
    case 'string':
      return { type: 'str', bytes: Buffer.from(value, 'utf8') }
    case 'boolean':
      return { type: 'bool', bytes: Buffer.from(value ? 'True' : 'False') }
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value) {
        throw new SopsError('the document contains an integer of more than 64 bits', {
          code: 'invalid',
        })
      }
      return { type: 'int', bytes: Buffer.from(value.toString()) }
    case 'number':
      return { type: 'float', bytes: Buffer.from(plainDecimal(value)) }
    default:
      throw new SopsError('the document contains a value of an unknown type', { code: 'invalid' })
  }
}

/** What a decrypted leaf is in the document. */
export function plainValue({ type, bytes }: Leaf): string | number | bigint | boolean {
  const text = bytes.toString('utf8')
  switch (type) {
    case 'int':
      return BigInt(text)
    case 'float':
      return Number(text)
    case 'bool':
      return text.toLowerCase() === 'true'
    case 'str':
    case 'bytes':
    case 'time':
    case 'comment':
      return text
  }
}

/** A number without an exponent, as Go's `FormatFloat(v, 'f', -1, 64)` prints it. */
function plainDecimal(value: number): string {
  if (!Number.isFinite(value))
    throw new SopsError('the document contains a number that is not finite', { code: 'invalid' })
  const [digits = '', exponent] = String(value).split('e')
  if (exponent === undefined) return digits
  const negative = digits.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.')
  const shift = Number(exponent)
  if (shift >= 0) return `${negative}${whole}${fraction.padEnd(shift, '0')}`
  return `${negative}0.${'0'.repeat(-shift - whole.length)}${whole}${fraction}`
}

/** Comments may quote what is encrypted beside them. */
export function dropComments(node: Node): void {
  node.comment = null
  node.commentBefore = null
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      for (const inner of [key, value]) if (isNode(inner)) dropComments(inner)
    }
  } else if (isSeq(node)) {
    for (const item of node.items) if (isNode(item)) dropComments(item)
  }
}

function isNode(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value)
}
