/** File modes as a tree object spells them. */
export const fileMode = {
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

type TreeEdits = ReadonlyMap<string, { readonly mode: string; readonly oid: string } | null>

const oidBytes = 20

/** A path's segment in the form in which trees compare names. */
export function nameBytes(segment: string): string {
  return Buffer.from(segment, 'utf8').toString('latin1')
}

export function nameText(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8')
}

/** A tree object's bytes, and where each entry begins in them, which takes a pass over all of them to find out. */
export interface Tree {
  readonly raw: Buffer
  readonly starts: Uint32Array
}

/** A tree that was made of another. */
export interface EditedTree extends Tree {
  /** What its bytes are made of, in order: parts of the other's bytes, and new ones. */
  readonly pieces: readonly Piece[]
}

export type Piece = Buffer | { readonly from: number; readonly to: number }

export function parseTree(raw: Buffer): Tree {
  return { raw, starts: entryStarts(raw) }
}

export const noEntries: Tree = { raw: Buffer.alloc(0), starts: new Uint32Array(0) }

export function* treeEntries({ raw, starts }: Tree): Generator<TreeEntry> {
  for (const start of starts) yield entryAt(raw, start)
}

/** The entries with these names that exist. */
export function findEntries(tree: Tree, names: Iterable<string>): Map<string, TreeEntry> {
  const found = new Map<string, TreeEntry>()
  for (const name of names) {
    const at = indexOfName(tree, name)
    if (at !== undefined) found.set(name, entryAt(tree.raw, tree.starts[at] ?? 0))
  }
  return found
}

/** The tree with these entries set or, where null, removed. Entries that are not named are copied as they are. */
export function editTree(tree: Tree, edits: TreeEdits): EditedTree {
  const cuts: Cut[] = []
  for (const [name, entry] of edits) {
    const at = indexOfName(tree, name)
    if (at !== undefined) cuts.push({ from: at, to: at + 1, insert: noBytes, key: noBytes })
    if (entry === null) continue
    const key = sortKey(name, entry.mode)
    const place = lowerBound(tree, key)
    cuts.push({ from: place, to: place, insert: serialize({ name, ...entry }), key })
  }
  // What is inserted before an entry stands before the cut that removes the entry.
  cuts.sort((a, b) => a.from - b.from || a.to - b.to || Buffer.compare(a.key, b.key))
  return splice(tree, cuts)
}

/** Entries by their number. */
interface Cut {
  readonly from: number
  readonly to: number
  readonly insert: Buffer
  /** The order of entries that are inserted at the same position. */
  readonly key: Buffer
}

const noBytes = Buffer.alloc(0)

function splice({ raw, starts: old }: Tree, cuts: readonly Cut[]): EditedTree {
  const pieces: Piece[] = []
  const starts = new Uint32Array(old.length + cuts.length)
  let entries = 0
  let length = 0
  let copied = 0
  const copyUpTo = (to: number): void => {
    if (to <= copied) return
    const from = old[copied] ?? 0
    const end = old[to] ?? raw.length
    for (let index = copied; index < to; index += 1) {
      starts[entries] = (old[index] ?? 0) - from + length
      entries += 1
    }
    pieces.push({ from, to: end })
    length += end - from
    copied = to
  }
  for (const { from, to, insert } of cuts) {
    copyUpTo(from)
    copied = Math.max(copied, to)
    if (insert.length === 0) continue
    starts[entries] = length
    entries += 1
    pieces.push(insert)
    length += insert.length
  }
  copyUpTo(old.length)
  const parts = pieces.map((piece) =>
    Buffer.isBuffer(piece) ? piece : raw.subarray(piece.from, piece.to),
  )
  return { raw: Buffer.concat(parts, length), starts: starts.slice(0, entries), pieces }
}

/** What must be there of an entry, however odd its mode and name are: a zero, and the name of an object. */
const shortestEntry = 1 + oidBytes

/** The one pass over all bytes, so it makes no strings and calls nothing. */
function entryStarts(raw: Buffer): Uint32Array {
  const { length } = raw
  const starts = new Uint32Array(Math.ceil(length / shortestEntry))
  let entries = 0
  let start = 0
  while (start < length) {
    let end = start
    while (end < length && raw[end] !== 0) end += 1
    end += 1 + oidBytes
    if (end > length) throw new Error('a tree object is truncated')
    starts[entries] = start
    entries += 1
    start = end
  }
  return starts.slice(0, entries)
}

function entryAt(raw: Buffer, start: number): TreeEntry {
  const blank = raw.indexOf(0x20, start)
  const zero = raw.indexOf(0, blank)
  return {
    mode: raw.toString('latin1', start, blank),
    name: raw.toString('latin1', blank + 1, zero),
    oid: raw.toString('hex', zero + 1, zero + 1 + oidBytes),
  }
}

/** A file and a folder of one name have different places, but only one of them can be there. */
function indexOfName(tree: Tree, name: string): number | undefined {
  for (const mode of [fileMode.file, fileMode.directory]) {
    const key = sortKey(name, mode)
    const at = lowerBound(tree, key)
    const start = tree.starts[at]
    if (start !== undefined && compareAt(tree.raw, start, key) === 0) return at
  }
  return undefined
}

/** The first entry that does not come before the key. */
function lowerBound({ raw, starts }: Tree, key: Buffer): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareAt(raw, starts[middle] ?? 0, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Git orders a directory as though its name ended with a slash. */
function sortKey(name: string, mode: string): Buffer {
  return Buffer.from(mode === fileMode.directory ? `${name}/` : name, 'latin1')
}

/** How an entry compares with a key, byte by byte: there are too many entries to make something of each. */
function compareAt(raw: Buffer, start: number, key: Buffer): number {
  const isDirectory = raw[start] === directoryDigit
  let at = start
  while (raw[at] !== blankByte) at += 1
  at += 1
  for (let index = 0; index < key.length; index += 1) {
    const byte = key[index] ?? 0
    const own = raw[at + index] ?? 0
    if (own !== 0) {
      if (own !== byte) return own - byte
      continue
    }
    if (!isDirectory) return -1
    if (byte !== slashByte) return slashByte - byte
    return index + 1 === key.length ? 0 : -1
  }
  return raw[at + key.length] === 0 && !isDirectory ? 0 : 1
}

const blankByte = 0x20
const slashByte = 0x2f
/** The first digit of its mode, which no other has. */
const directoryDigit = 0x34

function serialize({ name, mode, oid }: TreeEntry): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')])
}
