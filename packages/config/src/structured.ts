import {
  defineSetting,
  type Held,
  type Parsed,
  type Setting,
  type SettingOptions,
} from './setting.ts'

/** Reads a typed value from parsed JSON. */
export interface Reader<T> {
  /** Completes the sentence "expected …". */
  readonly expected: string
  read(value: unknown): Parsed<T>
}

type JsonObject = { readonly [key: string]: unknown }

interface ListOptions extends SettingOptions<readonly string[]> {
  /** Returns the problem of one entry, or undefined. */
  readonly checkEach?: (entry: string) => string | undefined
}

/** Declares a list: `a, b` or `["a", "b"]`. The empty list is `[]`, since an empty variable counts as not set. */
export function list<const O extends ListOptions>(
  env: string,
  options: O,
): Setting<Held<readonly string[], O>> {
  return defineSetting<readonly string[], O>(env, options, {
    expected: 'a list: a,b or ["a","b"]',
    parse: (raw) => parseList(raw, options.checkEach),
  })
}

function parseList(raw: string, checkEach: ListOptions['checkEach']): Parsed<readonly string[]> {
  const parsed = raw.startsWith('[')
    ? parseJson(raw, listOf(anyText))
    : ({ ok: true, value: raw.split(',') } as const)
  if (!parsed.ok) return parsed
  const entries = parsed.value.map((entry) => entry.trim())
  for (const [index, entry] of entries.entries()) {
    if (entry === '') return { ok: false, detail: `entry ${index + 1} is empty` }
    const detail = checkEach?.(entry)
    if (detail !== undefined) {
      return { ok: false, detail: `entry ${index + 1}, ${JSON.stringify(entry)}: ${detail}` }
    }
  }
  return { ok: true, value: entries }
}

/** Declares a JSON value that the reader accepts. */
export function json<T, const O extends SettingOptions<T>>(
  env: string,
  reader: Reader<T>,
  options: O & SettingOptions<T>,
): Setting<Held<T, O>> {
  return defineSetting<T, O>(env, options, {
    expected: `JSON: ${reader.expected}`,
    parse: (raw) => parseJson(raw, reader),
  })
}

function parseJson<T>(raw: string, reader: Reader<T>): Parsed<T> {
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch {
    // The parser's message quotes the text, which may be secret.
    return { ok: false, detail: 'it is not valid JSON' }
  }
  return reader.read(value)
}

export const anyText: Reader<string> = {
  expected: 'text',
  read: (value) => (typeof value === 'string' ? { ok: true, value } : { ok: false }),
}

export const wholeNumber: Reader<number> = {
  expected: 'a whole number, 0 or more',
  read: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? { ok: true, value }
      : { ok: false },
}

export const anyObject: Reader<JsonObject> = {
  expected: 'an object',
  read: (value) => (isObject(value) ? { ok: true, value } : { ok: false }),
}

export function listOf<T>(entry: Reader<T>): Reader<readonly T[]> {
  return {
    expected: `a list, each entry ${entry.expected}`,
    read: (value) => {
      if (!Array.isArray(value)) return { ok: false }
      return readAll(
        value.map((item, index) => [`entry ${index + 1}`, item] as const),
        entry,
      )
    },
  }
}

export function mapOf<T>(entry: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return {
    expected: `an object, each value ${entry.expected}`,
    read: (value) => {
      if (!isObject(value)) return { ok: false }
      const keys = Object.keys(value)
      const parsed = readAll(
        keys.map((key) => [JSON.stringify(key), value[key]] as const),
        entry,
      )
      if (!parsed.ok) return parsed
      const entries = parsed.value.map((held, index) => [keys[index] ?? '', held] as const)
      return { ok: true, value: Object.fromEntries(entries) }
    },
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readAll<T>(
  items: readonly (readonly [where: string, item: unknown])[],
  entry: Reader<T>,
): Parsed<readonly T[]> {
  const values: T[] = []
  for (const [where, item] of items) {
    const parsed = entry.read(item)
    if (!parsed.ok) {
      const reason = parsed.detail ?? `expected ${entry.expected}`
      return { ok: false, detail: `${where}: ${reason}` }
    }
    values.push(parsed.value)
  }
  return { ok: true, value: values }
}
