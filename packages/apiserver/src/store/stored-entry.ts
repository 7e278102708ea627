import type { KubeObject } from '@agents/kube'
import { stringifyJson } from '@agents/kube'
import { parseBoundedJson } from '../json/parse-bounded-json.ts'
import type { ParsedValues } from './parsed-values.ts'
import type { Entry } from './store.ts'

/** Creates an entry for a write, with the revision set in a copy of the value. */
export function entryOf(
  key: string,
  value: KubeObject,
  revision: number,
  parsed: ParsedValues,
): StoredEntry {
  const stamped = { ...value, metadata: { ...value.metadata, resourceVersion: String(revision) } }
  return new StoredEntry(key, revision, exactBytes(stringifyJson(stamped)), parsed, stamped)
}

/** A class, since there may be 100,000 instances: the accessor is shared, and only the bytes are held at first. */
export class StoredEntry implements Entry {
  readonly key: string
  readonly revision: number
  readonly json: Buffer
  readonly #parsed: ParsedValues
  #value: KubeObject | undefined

  constructor(
    key: string,
    revision: number,
    json: Buffer,
    parsed: ParsedValues,
    value?: KubeObject,
  ) {
    this.key = key
    this.revision = revision
    this.json = json
    this.#parsed = parsed
    this.#value = value
    if (value !== undefined) parsed.add(this)
  }

  get value(): KubeObject {
    if (this.#value !== undefined) return this.#value
    const value = parseBoundedJson(this.json) as unknown as KubeObject
    this.#value = value
    // May drop this very value to free memory.
    this.#parsed.add(this)
    return value
  }

  forget(): void {
    this.#value = undefined
  }
}

// Buffer.from would use a shared pool for small texts, which a single long-lived entry would keep in memory.
function exactBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
