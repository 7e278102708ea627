import type { Json } from '@agents/crd'
import { endOfString } from '../json/end-of-string.ts'

/** The number of keys and the nesting depth of a JSON text. */
interface TextShape {
  readonly keys: number
  readonly depth: number
}

/** Scans a text once. The result is meaningless for invalid JSON, but it never throws. */
export function shapeOfText(text: string): TextShape {
  let keys = 0
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case colon:
        keys++
        break
      case openBrace:
      case openBracket:
        depth++
        if (depth > deepest) deepest = depth
        break
      case closeBrace:
      case closeBracket:
        depth--
        break
    }
  }
  return { keys, depth: deepest }
}

const quote = 0x22
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Paths of the keys that a valid JSON text sets more than once. `value` is the parsed text. */
export function duplicateFields(text: string, value: Json, shape: TextShape): string[] {
  // Parsing keeps one of each key, so equal counts mean no duplicates. This is the usual case.
  if (shape.keys === countKeys(value)) return []
  const found = new Set<string>()
  scanFields(text, (path, isRepeated) => {
    if (isRepeated) found.add(path)
  })
  return [...found]
}

type FoundField = (path: string, isRepeated: boolean) => void

/** Reports each field of a valid JSON text in the order of the text. */
export function scanFields(text: string, found: FoundField): void {
  scanValue({ text, at: 0 }, '', found)
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

function scanValue(cursor: Cursor, path: string, found: FoundField): void {
  skipSpace(cursor)
  const first = cursor.text[cursor.at]
  if (first === '{') scanObject(cursor, path, found)
  else if (first === '[') scanArray(cursor, path, found)
  else if (first === '"') readString(cursor)
  else while (/[^\s,\]}]/.test(cursor.text[cursor.at] ?? ' ')) cursor.at++
}

function scanObject(cursor: Cursor, path: string, found: FoundField): void {
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
    found(child, seen.has(key))
    seen.add(key)
    skipSpace(cursor)
    cursor.at++
    scanValue(cursor, child, found)
  }
}

function scanArray(cursor: Cursor, path: string, found: FoundField): void {
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
