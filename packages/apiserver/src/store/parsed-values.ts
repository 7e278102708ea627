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

/** Larger values have a limit of their own. */
const largeBytes = 512 * 1024
/** One value of the largest size, or some smaller ones. */
const largeByteLimit = 4 * 1024 * 1024

/**
 * Limits the memory of parsed values. First in, first out: a value that is dropped too early is parsed again. Few large
 * values are kept: those that a list has parsed would survive young garbage collections, each of which then takes as
 * long as parsing one.
 */
export class ParsedValues {
  readonly #small: BoundedValues
  readonly #large: BoundedValues

  constructor(byteLimit: number) {
    this.#small = new BoundedValues(byteLimit)
    this.#large = new BoundedValues(Math.min(byteLimit, largeByteLimit))
  }

  add(item: Forgetful): void {
    const bytes = parsedSize(item.json)
    const values = bytes > largeBytes ? this.#large : this.#small
    values.add({ item, bytes })
  }
}

class BoundedValues {
  readonly #byteLimit: number
  readonly #parsed = new Fifo<Held>()
  #bytes = 0

  constructor(byteLimit: number) {
    this.#byteLimit = byteLimit
  }

  add(added: Held): void {
    this.#parsed.push(added)
    this.#bytes += added.bytes
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
 * object is two bytes of JSON and 56 of memory. Only a sample of the characters is counted, since each write does this;
 * it starts anywhere, so that no text is always taken for less than it is.
 */
export function parsedSize(json: Buffer): number {
  let values = 0
  for (let at = Math.floor(Math.random() * sampled); at < json.length; at += sampled) {
    const byte = json[at]
    if (byte === comma || byte === brace || byte === bracket) values += sampled
  }
  return json.length + values * bytesPerValue
}

/** One character in so many is counted. */
const sampled = 8

const comma = 0x2c
const brace = 0x7b
const bracket = 0x5b

const bytesPerValue = 48
