import type { Json } from '@agents/crd'
import type { Answer } from './client.ts'

/** The parts of an answer that are compared. */
export interface Comparable {
  readonly code: number
  readonly type?: string
  readonly warnings?: readonly string[]
  readonly body: Json
}

/** Texts that differ from run to run, with their replacements. */
export type Replacements = readonly (readonly [RegExp, string])[]

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g
const microTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g

// Admission generates the name of a volume in each pod.
const tokenVolume = /(kube-api-access-)[a-z0-9]{5}\b/g
// Messages quote whole objects.
const quotedVersion = /("resourceVersion\\?":\s*\\?"|ResourceVersion in record \()\d+/g

/**
 * The answers of one case, with everything replaced that may differ between two servers: equal values get the same
 * placeholder, and resource versions keep their order.
 */
export function normalise(
  answers: readonly Answer[],
  replacements: Replacements = [],
): Comparable[] {
  const bodies = answers.map(({ body, text }) => body ?? text)
  const words = wordsFor(bodies)
  const clean = (value: Json): Json => sortedCauses(replaceIn(value, words, replacements))
  return answers.map(({ code, headers }, index) => {
    const type = headers['content-type']
    const warnings = warningsOf(headers.warning)
    return {
      code,
      ...(type !== undefined && { type }),
      ...(warnings.length > 0 && { warnings: warnings.map((text) => clean(text) as string) }),
      body: clean(bodies[index] ?? null),
    }
  })
}

// Node joins headers of the same name with a comma; the texts are quoted strings.
function warningsOf(header: string | string[] | undefined): string[] {
  const joined = Array.isArray(header) ? header.join(', ') : (header ?? '')
  return [...joined.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(
    ([, quoted = '""']) => JSON.parse(quoted) as string,
  )
}

function wordsFor(bodies: readonly Json[]): Map<string, string> {
  const words = new Map<string, string>()
  for (const [found] of JSON.stringify(bodies).matchAll(uuid)) {
    if (!words.has(found)) words.set(found, `<uid ${words.size + 1}>`)
  }
  const versions = new Set<number>()
  for (const body of bodies) collectVersions(body, versions)
  for (const [index, version] of [...versions].sort((a, b) => a - b).entries()) {
    words.set(`rv ${version}`, `<version ${index + 1}>`)
  }
  return words
}

function collectVersions(value: Json, into: Set<number>): void {
  if (Array.isArray(value)) for (const item of value) collectVersions(item, into)
  else if (isObject(value)) {
    const version = ownVersion(value)
    if (version !== undefined) into.add(Number(version))
    for (const item of Object.values(value)) collectVersions(item, into)
  }
}

// The version of a list depends on concurrent writers.
function ownVersion(value: { [key: string]: Json }): string | undefined {
  const { metadata } = value
  if (isList(value)) return undefined
  if (!isObject(metadata ?? null)) return undefined
  const { resourceVersion } = metadata as { [key: string]: Json }
  return typeof resourceVersion === 'string' ? resourceVersion : undefined
}

function isList({ kind }: { [key: string]: Json }): boolean {
  return typeof kind === 'string' && /List$|^Table$|^Status$/.test(kind)
}

function replaceIn(value: Json, words: Map<string, string>, replacements: Replacements): Json {
  if (typeof value === 'string') return replaceText(value, words, replacements)
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, words, replacements))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    if (key === 'resourceVersion' && typeof item === 'string') {
      return [key, words.get(`rv ${item}`) ?? '<version>']
    }
    if (key === 'columnDefinitions') return [key, withoutDescriptions(item)]
    if (key === 'cells') return [key, withoutAges(replaceIn(item, words, replacements))]
    if (key === 'continue' && item !== '') return [key, '<continue>']
    if (key === 'name' && isGenerated(value)) return [key, `${value.generateName}<suffix>`]
    const known = key === 'metadata' && isList(value) ? new Map<string, string>() : words
    const clean = replaceIn(item, known, replacements)
    return [key, key === 'managedFields' ? sortedManagers(clean) : clean]
  })
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

// Descriptions are prose, which differs between implementations.
function withoutDescriptions(columns: Json): Json {
  return Array.isArray(columns)
    ? columns.map((column) => ({ ...(column as object), description: '<words>' }))
    : columns
}

/** The cells of a table, whose column of ages depends on the second. */
function withoutAges(cells: Json): Json {
  if (!Array.isArray(cells)) return cells
  return cells.map((cell) => (typeof cell === 'string' && /^\d+s$/.test(cell) ? '<age>' : cell))
}

function isGenerated({ name, generateName }: { [key: string]: Json }): boolean {
  return (
    typeof name === 'string' && typeof generateName === 'string' && name.startsWith(generateName)
  )
}

// Their order depends on the second in which a write happened.
function sortedManagers(value: Json): Json {
  if (!Array.isArray(value)) return value
  return value
    .map((item) => ({ item, order: JSON.stringify(item) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ item }) => item)
}

interface Cause {
  readonly field: string
  readonly message: string
}

// If a schema has several errors, or a manager several conflicts, they are in the random order of Go maps.
function sortedCauses(body: Json): Json {
  if (!isObject(body) || !isObject(body.details ?? null)) return body
  const details = body.details as { [key: string]: Json }
  const { causes } = details as unknown as { causes?: readonly Cause[] }
  if (causes === undefined) return body
  const text = ({ field, message }: Cause) => `${field}: ${message}`
  const list = (items: readonly Cause[]) => `[${items.map(text).join(', ')}]`
  const sorted = causes.toSorted((a, b) => (text(a) < text(b) ? -1 : 1))
  return {
    ...body,
    message: String(body.message).replace(list(causes), () => list(sorted)),
    details: { ...details, causes: sorted as unknown as Json },
  }
}

function replaceText(text: string, words: Map<string, string>, replacements: Replacements): string {
  let clean = text
    .replace(uuid, (found) => words.get(found) ?? '<uid>')
    .replace(microTime, '<micro time>')
    .replace(time, '<time>')
    .replace(tokenVolume, '$1<suffix>')
    .replace(quotedVersion, '$1<version>')
  for (const [pattern, word] of replacements) clean = clean.replace(pattern, word)
  return clean
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
