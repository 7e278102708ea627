import type { Json } from '@agents/crd'

/** Paths of the object keys that a valid JSON text sets more than once. `value` is what the text parses to. */
export function duplicateFields(text: string, value: Json): string[] {
  // Parsing keeps one of each key, so equal counts mean no duplicates: the usual case, at the price of one native scan.
  if (countKeysInText(text) === countKeys(value)) return []
  const found: string[] = []
  scanValue({ text, at: 0 }, '', found)
  return found
}

const strings = /"(?:[^"\\]|\\.)*"(\s*:)?/gs

function countKeysInText(text: string): number {
  let count = 0
  for (const match of text.matchAll(strings)) if (match[1] !== undefined) count++
  return count
}

function countKeys(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item)
    return count
  }
  for (const key of Object.keys(value)) count += 1 + countKeys(value[key] ?? null)
  return count
}

interface Cursor {
  readonly text: string
  at: number
}

function scanValue(cursor: Cursor, path: string, found: string[]): void {
  skipSpace(cursor)
  const first = cursor.text[cursor.at]
  if (first === '{') scanObject(cursor, path, found)
  else if (first === '[') scanArray(cursor, path, found)
  else if (first === '"') readString(cursor)
  else while (/[^\s,\]}]/.test(cursor.text[cursor.at] ?? ' ')) cursor.at++
}

function scanObject(cursor: Cursor, path: string, found: string[]): void {
  const seen = new Set<string>()
  cursor.at++
  for (;;) {
    skipSpace(cursor)
    const next = cursor.text[cursor.at]
    if (next !== '"') {
      cursor.at++
      if (next === '}' || next === undefined) return
      continue
    }
    const key = readString(cursor)
    const child = path === '' ? key : `${path}.${key}`
    if (seen.has(key)) found.push(child)
    seen.add(key)
    skipSpace(cursor)
    cursor.at++
    scanValue(cursor, child, found)
  }
}

function scanArray(cursor: Cursor, path: string, found: string[]): void {
  cursor.at++
  for (let index = 0; ; ) {
    skipSpace(cursor)
    const next = cursor.text[cursor.at]
    if (next === ']' || next === undefined) {
      cursor.at++
      return
    }
    if (next === ',') cursor.at++
    else scanValue(cursor, `${path}[${index++}]`, found)
  }
}

function readString(cursor: Cursor): string {
  const start = cursor.at
  cursor.at++
  while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== '"') {
    cursor.at += cursor.text[cursor.at] === '\\' ? 2 : 1
  }
  cursor.at++
  return String(JSON.parse(cursor.text.slice(start, cursor.at)))
}

function skipSpace(cursor: Cursor): void {
  while (/\s/.test(cursor.text[cursor.at] ?? 'x')) cursor.at++
}
