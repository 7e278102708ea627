import { describeError, type Field } from './describe-error.ts'
import { mask } from './mask.ts'
import { redact } from './redact.ts'
import { isSecretHeader, isSecretName, isTokenCount } from './secret-names.ts'

/** Plain data that is safe to write anywhere: without secrets, cycles, getters or proxies. */
export type LogValue =
  | null
  | boolean
  | number
  | string
  | readonly LogValue[]
  | { readonly [key: string]: LogValue }

/**
 * Copies any value as plain data and masks secrets: by the name of the field, by the form of the text, and the data of
 * Kubernetes Secrets. Never throws, and truncates values that are too large or too deep.
 */
export function redactValue(value: unknown): LogValue {
  return visit(value, { nodesLeft: maxNodes, charactersLeft: maxCharacters, path: new Set() })
}

const maxNodes = 5_000
const maxCharacters = 256 * 1024
const maxString = 16 * 1024
const maxDepth = 16

interface Walk {
  nodesLeft: number
  charactersLeft: number
  /** The objects that contain the current value: a repeated one is a cycle. A repeated sibling is not. */
  readonly path: Set<object>
}

function visit(value: unknown, walk: Walk): LogValue {
  if (walk.nodesLeft <= 0) return '[cut]'
  walk.nodesLeft -= 1
  try {
    return visitUnguarded(value, walk)
  } catch {
    // A revoked proxy, a trap or a getter that throws: the log line matters more than this field.
    return '[unreadable]'
  }
}

function visitUnguarded(value: unknown, walk: Walk): LogValue {
  switch (typeof value) {
    case 'string':
      return shorten(redact(value), walk)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
      return value
    case 'bigint':
      return String(value)
    case 'symbol':
    case 'function':
      return `[${typeof value}]`
    case 'undefined':
      return null
    case 'object':
      return value === null ? null : visitObject(value, walk)
  }
}

function shorten(text: string, walk: Walk): string {
  const room = Math.max(0, Math.min(maxString, walk.charactersLeft))
  const kept = text.length <= room ? text : `${text.slice(0, room)}… [${text.length - room} more]`
  walk.charactersLeft -= kept.length
  return kept
}

function visitObject(value: object, walk: Walk): LogValue {
  if (walk.path.has(value)) return '[circular]'
  if (walk.path.size >= maxDepth) return '[deeper]'
  walk.path.add(value)
  try {
    return visitKnownObject(value, walk)
  } finally {
    walk.path.delete(value)
  }
}

function visitKnownObject(value: object, walk: Walk): LogValue {
  if (Array.isArray(value)) return visitList(value, walk)
  if (value instanceof Error) return visitFields(describeError(value), walk)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toJSON()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (value instanceof Set) return visitList([...value], walk)
  if (value instanceof Map || isHeaders(value) || value instanceof URLSearchParams) {
    return visitFields(
      [...value].map(([key, held]) => [nameOf(key), () => held] as const),
      walk,
    )
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return visit(value.toJSON(), walk)
  return visitFields(readFields(value), walk)
}

/**
 * Checks the name first, because a reference to the class loads all of fetch, which takes megabytes, for the first line
 * of a log.
 */
function isHeaders(value: object): value is Headers {
  return Object.prototype.toString.call(value) === '[object Headers]' && value instanceof Headers
}

function nameOf(key: unknown): string {
  return typeof key === 'object' && key !== null ? '[object]' : String(key)
}

function readFields(value: object): Field[] {
  return Object.keys(value).map((key) => [key, () => Reflect.get(value, key)] as const)
}

function visitFields(fields: readonly Field[], walk: Walk): LogValue {
  const masked = maskedFields(fields)
  const entries: [string, LogValue][] = []
  for (const [name, read] of fields) {
    if (walk.nodesLeft <= 0) {
      entries.push(['[cut]', `${fields.length - entries.length} more`])
      break
    }
    const held = attempt(read)
    if (held === undefined) continue
    const hide = masked(name, held)
    entries.push([shorten(redact(name), walk), hide === undefined ? visit(held, walk) : hide])
  }
  // fromEntries defines properties, so a field called __proto__ is an ordinary field.
  return Object.fromEntries(entries)
}

function attempt(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return '[unreadable]'
  }
}

/** Returns the replacement of a field; undefined if the field may be shown. */
function maskedFields(
  fields: readonly Field[],
): (name: string, held: unknown) => LogValue | undefined {
  const peek = (wanted: string) => {
    const field = fields.find(([name]) => name === wanted)
    return field === undefined ? undefined : attempt(field[1])
  }
  const kind = peek('kind')
  const pairName = peek('name') ?? peek('key')
  const namesSecret = typeof pairName === 'string' && isSecretName(pairName)
  return (name, held) => {
    if (kind === 'Secret' && secretData.has(name)) return maskData(held)
    if (kind === 'SecretList' && name === 'items') return maskItems(held)
    // An environment variable or a header written as { name, value }.
    if (namesSecret && name === 'value') return maskHeld(held)
    return isSecretName(name) && !isTokenCount(name, held) ? maskHeld(held) : undefined
  }
}

const secretData = new Set(['data', 'stringData', 'binaryData'])

function maskData(data: unknown): LogValue {
  if (typeof data !== 'object' || data === null) return maskHeld(data) ?? null
  return Object.fromEntries(Object.keys(data).map((key) => [redact(key), mask]))
}

/** The items of a typed list have no kind. */
function maskItems(items: unknown): LogValue {
  return Array.isArray(items) ? `[${items.length} Secrets]` : mask
}

// Whether a secret is set is useful and not a secret.
const isHarmless = new Set<unknown>([null, true, false, '', 'set', 'not set', '[unreadable]'])

function maskHeld(held: unknown): LogValue | undefined {
  return isHarmless.has(held) ? undefined : mask
}

function visitList(list: readonly unknown[], walk: Walk): LogValue {
  const out: LogValue[] = []
  for (const [index, item] of list.entries()) {
    if (walk.nodesLeft <= 0) {
      out.push(`[${list.length - index} more]`)
      break
    }
    out.push(announcesSecret(list[index - 1]) && item !== null ? mask : visit(item, walk))
  }
  return out
}

/** `['--password', 'x']` and `['Authorization', 'x']`: argument lists and raw headers. */
function announcesSecret(item: unknown): boolean {
  if (typeof item !== 'string' || item.length > 64) return false
  return isSecretHeader(item) || (item.startsWith('-') && isSecretName(item))
}
