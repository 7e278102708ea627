import { Fifo } from './fifo.ts'

/** Something that can give back the memory of its parsed form. */
export interface Forgetful {
  readonly json: Buffer
  forget(): void
}

/**
 * Bounds how many parsed values stay in memory, counted by their JSON bytes (the parsed form is
 * about twice that). First in, first out: what is dropped too early costs one more parse.
 */
export class ParsedValues {
  readonly #byteLimit: number
  readonly #parsed = new Fifo<Forgetful>()
  #bytes = 0

  constructor(byteLimit: number) {
    this.#byteLimit = byteLimit
  }

  add(item: Forgetful): void {
    this.#parsed.push(item)
    this.#bytes += item.json.length
    while (this.#bytes > this.#byteLimit) {
      const oldest = this.#parsed.shift()
      if (oldest === undefined) return
      this.#bytes -= oldest.json.length
      oldest.forget()
    }
  }
}
