const word = 8
const objectHeader = 3 * word
const arrayHeader = 6 * word
const textHeader = 2 * word
/** A number with a fraction, or a bigint. */
const boxed = 2 * word

/** The approximate bytes of a parsed JSON value. `counted` contains shared strings, which are counted once. */
export function heapSize(value: unknown, counted: Set<string>): number {
  switch (typeof value) {
    case 'string': {
      if (counted.has(value)) return 0
      counted.add(value)
      return textHeader + roundUp(value.length)
    }
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? 0 : boxed
    case 'bigint':
      return boxed
    case 'object':
      return value === null ? 0 : containerSize(value, counted)
    default:
      return 0
  }
}

function containerSize(value: object, counted: Set<string>): number {
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
  let size = (Array.isArray(value) ? arrayHeader : objectHeader) + members.length * word
  for (const member of members) size += heapSize(member, counted)
  return size
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / word) * word
}
