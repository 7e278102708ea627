import { isMap, type Json, type JsonMap } from './json.ts'
import { blockLines, scalarText } from './scalar-text.ts'

/**
 * An object as YAML: apiVersion, kind and metadata first, all else sorted. Equal objects give equal bytes, whatever the order
 * of their members.
 */
export const writeManifest = (object: JsonMap): string => {
  const { apiVersion, kind, metadata, ...rest } = object
  const head = { apiVersion, kind, metadata }
  const first = Object.entries(head).filter(([, value]) => value !== undefined)
  return `${mapLines([...first, ...sorted(rest)]).join('\n')}\n`
}

const sorted = (map: JsonMap): [string, Json | undefined][] =>
  Object.entries(map)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))

const mapLines = (entries: readonly (readonly [string, Json | undefined])[]): string[] =>
  entries.flatMap(([key, value]) => memberLines(key, value ?? null))

const memberLines = (key: string, value: Json): string[] => {
  const name = scalarText(key)
  // A longer key has to be announced: readers look no further ahead for the colon.
  const start = name.length > LONGEST_KEY ? [`? ${name}`, ':'] : [`${name}:`]
  const [first, ...rest] = valueLines(value)
  const opening = start.with(-1, first === '' ? (start.at(-1) ?? '') : `${start.at(-1)} ${first}`)
  return [...opening, ...rest.map(indented)]
}

const LONGEST_KEY = 1000

/** The first line stands behind the colon, and is empty when there is nothing to put there; the others go below, indented. */
const valueLines = (value: Json): string[] => {
  if (typeof value === 'string') return blockLines(value) ?? [scalarText(value)]
  if (Array.isArray(value)) return value.length === 0 ? ['[]'] : ['', ...listLines(value)]
  if (!isMap(value)) return [String(value)]
  const entries = sorted(value)
  return entries.length === 0 ? ['{}'] : ['', ...mapLines(entries)]
}

const listLines = (items: readonly Json[]): string[] =>
  items.flatMap((item) => {
    const [first = '', ...rest] = valueLines(item)
    if (first !== '') return [`- ${first}`, ...rest.map(indented)]
    const [opening = '', ...below] = rest
    return [`- ${opening}`, ...below.map(indented)]
  })

const indented = (line: string): string => (line === '' ? '' : `  ${line}`)
