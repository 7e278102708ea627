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
const largeByteLimit = 4 * 1024 * 1024
/**
 * Large values that stay whatever their size. Each watcher with a selector reads the object before and after a write,
 * and would parse both again if either displaced the other.
 */
const fewestLarge = 4

/**
 * Limits the memory of parsed values. First in, first out: a value that is dropped too early is parsed again. Few large
 * values are kept, because those that a list has parsed would survive young garbage collections, each of which then
 * takes as long as parsing one.
 */
export class ParsedValues {
  readonly #small: BoundedValues
  readonly #large: BoundedValues

  constructor(byteLimit: number) {
    this.#small = new BoundedValues(byteLimit, 0)
    this.#large = new BoundedValues(Math.min(byteLimit, largeByteLimit), fewestLarge)
  }

  add(item: Forgetful): void {
    const bytes = parsedSize(item.json)
    const values = bytes > largeBytes ? this.#large : this.#small
    values.add({ item, bytes })
  }
}

class BoundedValues {
  readonly #byteLimit: number
  readonly #fewest: number
  readonly #parsed = new Fifo<Held>()
  #bytes = 0

  constructor(byteLimit: number, fewest: number) {
    this.#byteLimit = byteLimit
    this.#fewest = fewest
  }

  add(added: Held): void {
    this.#parsed.push(added)
    this.#bytes += added.bytes
    while (this.#bytes > this.#byteLimit && this.#parsed.length > this.#fewest) {
      const oldest = this.#parsed.shift()
      if (oldest === undefined) return
      this.#bytes -= oldest.bytes
      oldest.item.forget()
    }
  }
}

/**
 * An estimate of the memory that the parsed form of a text takes. Values cost much more than their characters: an empty
 * object is two bytes of JSON and 56 of memory. Each write makes an estimate, so it reads only every eighth byte. The
 * first is chosen at random, so that nobody can lay out a text to be underestimated each time.
 */
export function parsedSize(json: Buffer): number {
  let values = 0
  for (let at = Math.floor(Math.random() * stride); at < json.length; at += stride) {
    const byte = json[at]
    if (byte === comma || byte === brace || byte === bracket) values += stride
  }
  return json.length + values * bytesPerValue
}

const stride = 8

const comma = 0x2c
const brace = 0x7b
const bracket = 0x5b

const bytesPerValue = 48
