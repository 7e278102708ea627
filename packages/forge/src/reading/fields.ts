import { ForgeError } from '../forge-error.ts'

/** The members of a JSON object in a response. Each read checks the type. */
export class Fields {
  readonly #members: Readonly<Record<string, unknown>>

  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw garbled()
    this.#members = value as Record<string, unknown>
  }

  text(name: string): string {
    const value = this.#own(name)
    if (typeof value !== 'string') throw garbled(name)
    return value
  }

  /** Empty if it is absent or null. */
  textOrEmpty(name: string): string {
    const value = this.#own(name)
    return value === undefined || value === null ? '' : this.text(name)
  }

  flag(name: string): boolean {
    const value = this.#own(name)
    if (value === undefined || value === null) return false
    if (typeof value !== 'boolean') throw garbled(name)
    return value
  }

  /** A number such as an id. */
  whole(name: string): number {
    const value = this.#own(name)
    if (!Number.isSafeInteger(value) || (value as number) < 0) throw garbled(name)
    return value as number
  }

  object(name: string): Fields {
    return new Fields(this.#own(name))
  }

  /** Undefined if it is absent or null. */
  objectIfAny(name: string): Fields | undefined {
    const value = this.#own(name)
    return value === undefined || value === null ? undefined : new Fields(value)
  }

  /** Empty if it is absent or null. */
  list(name: string): readonly unknown[] {
    const value = this.#own(name)
    if (value === undefined || value === null) return []
    if (!Array.isArray(value)) throw garbled(name)
    return value
  }

  /** The URL of a web page, to be shown. Other schemes than http would run code in a browser. */
  webUrl(name: string): string {
    const text = this.text(name)
    const url = text.length <= longestUrl ? URL.parse(text) : null
    if (url === null || !/^https?:$/.test(url.protocol) || url.password !== '') throw garbled(name)
    return text
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined
  }
}

const longestUrl = 2048

export function garbled(name?: string): ForgeError {
  const what = name === undefined ? 'it is not of the expected type' : `${name} is wrong`
  return new ForgeError('garbled', `the response of the API is not as described: ${what}`)
}

export function listOf<T>(value: unknown, read: (fields: Fields) => T): T[] {
  if (!Array.isArray(value)) throw garbled()
  return value.map((item) => read(new Fields(item)))
}
