import { isMap, type Json, type JsonMap } from './json.ts'
import { blockLines, scalarText } from './scalar-text.ts'

/** An object as YAML: apiVersion, kind and metadata first, other fields sorted. Equal objects give equal bytes. */
export function writeManifest(object: JsonMap): string {
  const { apiVersion, kind, metadata, ...rest } = object
  const head = { apiVersion, kind, metadata }
  const first = Object.entries(head).filter(([, value]) => value !== undefined)
  return `${mapLines([...first, ...sortedMembers(rest)]).join('\n')}\n`
}

export function sortedMembers(map: JsonMap): [string, Json][] {
  return Object.entries(map)
    .filter((member): member is [string, Json] => member[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

function mapLines(
  entries: readonly (readonly [string, Json | undefined])[],
  indentsLists = true,
): string[] {
  return entries.flatMap(([key, value]) => memberLines(key, value ?? null, indentsLists))
}

/**
 * The lines of one member of a block map. The mirror itself indents lists below their key; a file of another origin
 * may have another style.
 */
export function memberLines(key: string, value: Json, indentsLists = true): string[] {
  const name = scalarText(key)
  // Readers search for the colon of a key only within a limited length, so longer keys need the explicit form.
  const start = name.length > longestKey ? [`? ${name}`, ':'] : [`${name}:`]
  const [first, ...rest] = valueLines(value, indentsLists)
  const opening = start.with(-1, first === '' ? (start.at(-1) ?? '') : `${start.at(-1)} ${first}`)
  const isFlush = !indentsLists && Array.isArray(value)
  return [...opening, ...(isFlush ? rest : rest.map(indented))]
}

const longestKey = 1000

/** The first line follows the colon and may be empty; the other lines are indented below it. */
export function valueLines(value: Json, indentsLists = true): string[] {
  if (typeof value === 'string') return blockLines(value) ?? [scalarText(value)]
  if (Array.isArray(value)) {
    if (value.length === 0) return ['[]']
    return ['', ...value.flatMap((item) => itemLines(item, indentsLists))]
  }
  if (!isMap(value)) return [String(value)]
  const entries = sortedMembers(value)
  return entries.length === 0 ? ['{}'] : ['', ...mapLines(entries, indentsLists)]
}

/** The lines of one item of a block list. */
export function itemLines(item: Json, indentsLists = true): string[] {
  const [first = '', ...rest] = valueLines(item, indentsLists)
  if (first !== '') return [`- ${first}`, ...rest.map(indented)]
  const [opening = '', ...below] = rest
  return [`- ${opening}`, ...below.map(indented)]
}

function indented(line: string): string {
  return line === '' ? '' : `  ${line}`
}
