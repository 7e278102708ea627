/** One element of ASN.1 DER. `whole` is `content` with its tag and length. */
export interface DerElement {
  readonly tag: number
  readonly content: Buffer
  readonly whole: Buffer
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const

/** Reads the elements that follow each other in `bytes`. Throws for anything that is not DER. */
export function readElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = []
  for (let start = 0; start < bytes.length; ) {
    const element = readElement(bytes, start)
    elements.push(element)
    start += element.whole.length
  }
  return elements
}

/** The content of the only element in `bytes`, which must have the tag. */
export function only(bytes: Buffer, tag: number): Buffer {
  const [element, ...rest] = readElements(bytes)
  if (rest.length > 0) throw new Error('trailing data')
  return expected(element, tag).content
}

export function expected(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag !== tag) throw new Error('malformed structure')
  return element
}

/** `2.5.4.3` */
export function objectIdentifier(content: Buffer): string {
  const numbers: number[] = []
  let value = 0
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f)
    if (value > Number.MAX_SAFE_INTEGER / 128) throw new Error('object identifier too large')
    if (byte >= 0x80) continue
    numbers.push(value)
    value = 0
  }
  const [head = 0, ...rest] = numbers
  const first = Math.min(Math.floor(head / 40), 2)
  return [first, head - first * 40, ...rest].join('.')
}

function readElement(bytes: Buffer, start: number): DerElement {
  const tag = bytes[start] ?? 0
  if ((tag & 0x1f) === 0x1f) throw new Error('unsupported tag')
  const first = bytes[start + 1]
  if (first === undefined) throw new Error('truncated element')
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || lengthBytes > 4) throw new Error('unsupported length')
  const from = start + 2 + lengthBytes
  if (from > bytes.length) throw new Error('truncated element')
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(start + 2, lengthBytes)
  if (lengthBytes > 0 && (length < 0x80 || bytes[start + 2] === 0)) {
    throw new Error('length is not minimal')
  }
  const end = from + length
  if (end > bytes.length) throw new Error('truncated element')
  return { tag, content: bytes.subarray(from, end), whole: bytes.subarray(start, end) }
}
