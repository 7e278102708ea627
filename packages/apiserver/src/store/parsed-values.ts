import { Fifo } from './fifo.ts'

/** An entry that can drop its parsed value. */
interface Forgetful {
  readonly json: Buffer
  forget(): void
}

interface Held {
  readonly item: Forgetful
  readonly bytes: number
}

/**
 * Limits the memory of parsed values. First in, first out: a value that is dropped too early is parsed again.
 */
export class ParsedValues {
  readonly #byteLimit: number
  readonly #parsed = new Fifo<Held>()
  #bytes = 0

  constructor(byteLimit: number) {
    this.#byteLimit = byteLimit
  }

  add(item: Forgetful): void {
    const bytes = parsedSize(item.json)
    this.#parsed.push({ item, bytes })
    this.#bytes += bytes
    while (this.#bytes > this.#byteLimit) {
      const oldest = this.#parsed.shift()
      if (oldest === undefined) return
      this.#bytes -= oldest.bytes
      oldest.item.forget()
    }
  }
}

/**
 * An estimate of the memory that the parsed form of a text takes. Values cost much more than their characters: an empty
 * object is two bytes of JSON and 56 of memory.
 */
export function parsedSize(json: Buffer): number {
  let values = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === comma || byte === brace || byte === bracket) values += 1
  }
  return json.length + values * bytesPerValue
}

const comma = 0x2c
const brace = 0x7b
const bracket = 0x5b

const bytesPerValue = 48
