/** File modes as a tree object spells them. */
export const MODE = {
  file: '100644',
  executable: '100755',
  symlink: '120000',
  submodule: '160000',
  directory: '40000',
} as const

export interface TreeEntry {
  /** The name's bytes, one character each: names need not be UTF-8, and must come back as they were. */
  readonly name: string
  readonly mode: string
  readonly oid: string
}

export type TreeEdits = ReadonlyMap<string, { readonly mode: string; readonly oid: string } | null>

const OID_BYTES = 20

/** A path's segment in the form in which trees compare names. */
export const nameBytes = (segment: string): string =>
  Buffer.from(segment, 'utf8').toString('latin1')

export const nameText = (name: string): string => Buffer.from(name, 'latin1').toString('utf8')

export function* treeEntries(raw: Buffer): Generator<TreeEntry> {
  for (const { name, mode, end } of positions(raw)) {
    yield { name, mode, oid: raw.toString('hex', end - OID_BYTES, end) }
  }
}

export const findEntry = (raw: Buffer, name: string): TreeEntry | undefined => {
  // Most names are looked up in vain or once, so the bytes are searched instead of parsed.
  const needle = Buffer.from(` ${name}\0`, 'latin1')
  if (!raw.includes(needle)) return undefined
  for (const entry of treeEntries(raw)) if (entry.name === name) return entry
  return undefined
}

/** The tree with these entries set or, where null, removed. Entries that are not named are copied as they are. */
export const editTree = (raw: Buffer, edits: TreeEdits): Buffer => {
  const additions = [...edits]
    .flatMap(([name, entry]) => (entry === null ? [] : [{ name, ...entry }]))
    .sort((a, b) => compare(sortKey(a.name, a.mode), sortKey(b.name, b.mode)))
  const parts: Buffer[] = []
  let next = 0
  let copied = 0
  for (const { name, mode, start, end } of positions(raw)) {
    const key = sortKey(name, mode)
    for (let addition = additions[next]; addition !== undefined; addition = additions[next]) {
      if (compare(sortKey(addition.name, addition.mode), key) > 0) break
      parts.push(raw.subarray(copied, start), serialize(addition))
      copied = start
      next += 1
    }
    if (edits.has(name)) {
      parts.push(raw.subarray(copied, start))
      copied = end
    }
  }
  parts.push(raw.subarray(copied))
  for (const addition of additions.slice(next)) parts.push(serialize(addition))
  return Buffer.concat(parts)
}

interface Position {
  readonly name: string
  readonly mode: string
  readonly start: number
  readonly end: number
}

function* positions(raw: Buffer): Generator<Position> {
  let start = 0
  while (start < raw.length) {
    const blank = raw.indexOf(0x20, start)
    const zero = raw.indexOf(0, blank)
    const end = zero + 1 + OID_BYTES
    if (blank === -1 || zero === -1 || end > raw.length) throw new Error('a tree is cut short')
    yield {
      mode: raw.toString('latin1', start, blank),
      name: raw.toString('latin1', blank + 1, zero),
      start,
      end,
    }
    start = end
  }
}

/** Git orders a directory as though its name ended with a slash. */
const sortKey = (name: string, mode: string): string =>
  mode === MODE.directory ? `${name}/` : name

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const serialize = ({ name, mode, oid }: TreeEntry): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')])
