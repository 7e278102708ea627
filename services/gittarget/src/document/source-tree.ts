import { sameJson } from '@agents/kube'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Json } from './json.ts'
import { plainValue } from './plain-scalar.ts'

interface Positioned {
  /** Where the value starts, after anchor and tag. An empty value starts and ends where it would be written. */
  readonly start: number
  /** Where the value ends. A block scalar ends after its last line break. */
  readonly end: number
  readonly anchor: string | undefined
  /** Where the tag starts, if there is one. */
  readonly tagStart: number | undefined
  /** What Go reads; undefined if Go rejects it or readers disagree. */
  readonly value: Json | undefined
  /** Number of values including those that aliases repeat. */
  readonly size: number
}

export interface SourceScalar extends Positioned {
  readonly kind: 'scalar'
  readonly style: Scalar.Type
  readonly text: string
}

export interface SourceAlias extends Positioned {
  readonly kind: 'alias'
  readonly name: string
  readonly target: SourceNode | undefined
}

/** A member of a map, or an item of a list. */
export interface SourceEntry {
  /** Of the key, of the `?` before it, or of the dash. */
  readonly start: number
  /** The position after the colon or the dash; undefined if a member of a flow map has no colon. */
  readonly after: number | undefined
  /** As Go reads it; undefined for items, and for keys that Go rejects. */
  readonly key: string | undefined
  readonly isMerge: boolean
  readonly node: SourceNode
  readonly end: number
}

export interface SourceCollection extends Positioned {
  readonly kind: 'map' | 'list'
  readonly isFlow: boolean
  readonly entries: readonly SourceEntry[]
}

export type SourceNode = SourceScalar | SourceAlias | SourceCollection

/** One document of a file: where each value is in the text, and what Go reads there. */
export interface SourceDocument {
  /** Undefined if the document is empty or its syntax is not understood. */
  readonly root: SourceNode | undefined
  readonly hasAliases: boolean
  /** Where the document ends in the text. */
  readonly end: number
}

/** The documents of a text; undefined if it is not YAML. */
export function parseSource(text: string): SourceDocument[] | undefined {
  try {
    const documents = parseAllDocuments(text, parsing)
    if (!Array.isArray(documents)) return []
    if (documents.some(({ errors }) => errors.length > 0)) return undefined
    return documents.map((document) => new TreeBuilder(text).document(document))
  } catch {
    return undefined
  }
}

const parsing = {
  // Every scalar stays text: its meaning is decided here, not by the parser.
  schema: 'failsafe',
  resolveKnownTags: false,
  merge: false,
  keepSourceTokens: true,
  // The parser's own check for duplicate keys is quadratic and takes minutes for an object with many keys.
  uniqueKeys: false,
  logLevel: 'silent',
} as const

/**
 * Characters that Go takes for line breaks, or rejects. They may be written only as escapes, so a text with one of them
 * has no value that all readers agree on.
 */
export const doubtful =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\r(?!\n)/

/** Go rejects documents that consist of repetitions, because a few lines could expand to gigabytes. */
const mostValues = 400_000

type Token = { readonly type: string; readonly offset: number; readonly source: string }
type Item = {
  readonly start?: readonly Token[]
  readonly key?: { readonly offset: number } | null
  readonly sep?: readonly Token[]
  readonly value?: unknown
}

/** The syntax is valid, but its parts cannot be located. */
class NotLocated extends Error {
  override name = 'NotLocated'
}

class TreeBuilder {
  readonly #text: string
  readonly #anchors = new Map<string, SourceNode>()
  #hasAliases = false
  #direct = 0

  constructor(text: string) {
    this.#text = text
  }

  document(document: Document.Parsed): SourceDocument {
    const end = document.range?.[2] ?? this.#text.length
    const isOther = document.directives?.yaml.explicit && document.directives.yaml.version !== '1.1'
    try {
      const { contents } = document
      const isEmpty = contents === null || (isScalar(contents) && contents.srcToken === undefined)
      const root = isEmpty || isOther ? undefined : this.#node(contents, [])
      const isRepetition = root !== undefined && root.size > 1000 && this.#direct / root.size < 0.01
      const value = isRepetition ? undefined : root?.value
      return { root: root && { ...root, value }, hasAliases: this.#hasAliases, end }
    } catch (error) {
      if (error instanceof NotLocated) return { root: undefined, hasAliases: this.#hasAliases, end }
      throw error
    }
  }

  /** `before` are the tokens between the colon or dash and the value. */
  #node(node: unknown, before: readonly Token[]): SourceNode {
    this.#direct += 1
    const tag = before.find(({ type }) => type === 'tag')
    const anchor = before.find(({ type }) => type === 'anchor')?.source.slice(1)
    const props = { anchor, tagStart: tag?.offset }
    const built = this.#built(node, props, tag?.source, before)
    if (anchor !== undefined) this.#anchors.set(anchor, built)
    return built
  }

  #built(
    node: unknown,
    props: Pick<Positioned, 'anchor' | 'tagStart'>,
    tag: string | undefined,
    before: readonly Token[],
  ): SourceNode {
    if (isAlias(node)) return this.#alias(node.source, rangeOf(node), props)
    if (isScalar(node)) return this.#scalar(node, props, tag, before)
    if (isMap(node)) return this.#map(node, props)
    if (isSeq(node)) return this.#list(node, props)
    throw new NotLocated()
  }

  /** A value whose parts cannot be located: it can only be replaced as a whole. */
  #opaque(node: YAMLMap | YAMLSeq, props: Pick<Positioned, 'anchor' | 'tagStart'>): SourceScalar {
    const [start, end] = rangeOf(node)
    return { ...emptyAt(start), ...props, end, value: undefined }
  }

  #alias(
    name: string,
    [start, end]: readonly [number, number],
    props: Pick<Positioned, 'anchor' | 'tagStart'>,
  ): SourceAlias {
    this.#hasAliases = true
    const target = this.#anchors.get(name)
    const size = target?.size ?? 1
    return { kind: 'alias', name, start, end, ...props, target, value: target?.value, size }
  }

  #scalar(
    node: Scalar,
    props: Pick<Positioned, 'anchor' | 'tagStart'>,
    tag: string | undefined,
    before: readonly Token[],
  ): SourceScalar {
    const style = node.type ?? 'PLAIN'
    const isEmpty = node.srcToken === undefined
    const last = before.findLast(
      ({ type }) => type !== 'space' && type !== 'newline' && type !== 'comment',
    )
    const place = last === undefined ? undefined : last.offset + last.source.length
    const [start, end] = isEmpty && place !== undefined ? [place, place] : rangeOf(node)
    const source = this.#text.slice(start, end)
    const text = String(node.value)
    // Readers disagree about the final line break that is missing at the end of a file.
    const isOpen = style.startsWith('BLOCK') && text.endsWith('\n') && !source.endsWith('\n')
    const isDoubtful =
      isOpen || doubtful.test(source) || (style === 'QUOTE_DOUBLE' && loneEscape.test(source))
    const value = isDoubtful ? undefined : taggedValue(tag, text, style)
    return { kind: 'scalar', style, text, start, end, ...props, value, size: 1 }
  }

  #map(node: YAMLMap, props: Pick<Positioned, 'anchor' | 'tagStart'>): SourceNode {
    // Kubernetes has no keys other than strings.
    if (node.items.some(({ key }) => !isScalar(key))) return this.#opaque(node, props)
    const entries = node.items.map((pair) => this.#member(pair))
    const value = mapValue(entries)
    return bounded({ kind: 'map', ...this.#collection(node, entries), ...props, value })
  }

  #list(node: YAMLSeq, props: Pick<Positioned, 'anchor' | 'tagStart'>): SourceNode {
    const isFlow = node.srcToken?.type === 'flow-collection'
    const items = (node.srcToken as { items?: readonly Item[] } | undefined)?.items ?? []
    const kept = items.filter((item) =>
      isFlow ? isFlowItem(item) : hasToken(item, 'seq-item-ind'),
    )
    // A pair without braces in a flow list has no place of its own.
    const hasPairs = isFlow && kept.some(({ sep }) => sep !== undefined && sep.length > 0)
    if (hasPairs || kept.length !== node.items.length) return this.#opaque(node, props)
    const entries = node.items.map((item, index) => this.#item(item, kept[index] ?? {}))
    const values = entries.map((entry) => entry.node.value)
    const value = values.every((each) => each !== undefined) ? values : undefined
    return bounded({ kind: 'list', ...this.#collection(node, entries), ...props, value })
  }

  #collection(node: YAMLMap | YAMLSeq, entries: readonly SourceEntry[]) {
    const isFlow = node.srcToken?.type === 'flow-collection'
    const [start, end] = rangeOf(node)
    const size = entries.reduce((sum, entry) => sum + entry.node.size, 1)
    return {
      isFlow,
      entries,
      start: isFlow ? start : (entries[0]?.start ?? start),
      end: isFlow ? end : (entries.at(-1)?.end ?? end),
      size,
    }
  }

  #member(pair: Pair): SourceEntry {
    const item = (pair.srcToken ?? {}) as Item
    const key = pair.key
    if (!isScalar(key) || item.key == null) throw new NotLocated()
    const explicit = item.start?.find(({ type }) => type === 'explicit-key-ind')
    const props = item.start?.find(({ type }) => type === 'anchor' || type === 'tag')
    const [keyStart, keyEnd] = rangeOf(key)
    const colon = item.sep?.findIndex(({ type }) => type === 'map-value-ind') ?? -1
    const ind = item.sep?.[colon]
    const after = ind === undefined ? undefined : ind.offset + ind.source.length
    const before = ind === undefined ? [] : (item.sep ?? []).slice(colon)
    const node = pair.value === null ? emptyAt(after ?? keyEnd) : this.#node(pair.value, before)
    const isTagged = hasToken(item, 'tag')
    const plain = key.type === 'PLAIN' && !isTagged
    return {
      start: explicit?.offset ?? props?.offset ?? keyStart,
      after,
      key: keyText(key, plain, this.#text.slice(keyStart, keyEnd), isTagged),
      isMerge: plain && key.value === '<<',
      node,
      end: Math.max(node.end, after ?? keyEnd),
    }
  }

  #item(item: unknown, token: Item): SourceEntry {
    const dash = token.start?.find(({ type }) => type === 'seq-item-ind')
    const from =
      token.start?.findIndex(({ type }) => type === 'seq-item-ind' || type === 'comma') ?? -1
    const node = this.#node(item, (token.start ?? []).slice(Math.max(from, 0)))
    const props = token.start?.find(({ type }) => type === 'anchor' || type === 'tag')
    const after = dash === undefined ? undefined : dash.offset + 1
    const start = dash?.offset ?? props?.offset ?? node.start
    return {
      start,
      after,
      key: undefined,
      isMerge: false,
      node,
      end: Math.max(node.end, after ?? 0),
    }
  }
}

/** Comparing values that consist of repetitions would take for ever. */
function bounded(collection: SourceCollection): SourceCollection {
  return collection.size > mostValues ? { ...collection, value: undefined } : collection
}

/** Go rejects escaped surrogates, also in pairs. */
const loneEscape = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/

function rangeOf(node: {
  readonly range?: readonly number[] | null | undefined
}): [number, number] {
  const [start, end] = node.range ?? []
  if (start === undefined || end === undefined) throw new NotLocated()
  return [start, end]
}

function hasToken(item: Item, wanted: string): boolean {
  return item.start?.some(({ type }) => type === wanted) ?? false
}

function isFlowItem(item: Item): boolean {
  return item.key != null || item.value !== undefined || (item.sep?.length ?? 0) > 0
}

function emptyAt(offset: number): SourceScalar {
  const at = { start: offset, end: offset, anchor: undefined, tagStart: undefined }
  return { kind: 'scalar', style: 'PLAIN', text: '', ...at, value: null, size: 1 }
}

function taggedValue(tag: string | undefined, text: string, style: Scalar.Type): Json | undefined {
  if (tag === undefined) return style === 'PLAIN' ? plainValue(text) : text
  // Other tags are rejected or ignored, depending on the reader.
  return tag === '!!str' ? text : undefined
}

function keyText(
  key: Scalar,
  isPlain: boolean,
  source: string,
  isTagged: boolean,
): string | undefined {
  const text = String(key.value)
  if (isTagged || doubtful.test(source)) return undefined
  if (!isPlain) return loneEscape.test(source) ? undefined : text
  const value = plainValue(text)
  return value === null || value === undefined || typeof value === 'number'
    ? undefined
    : String(value)
}

/** Undefined if Go rejects the map, or if readers disagree about which of two members counts. */
function mapValue(entries: readonly SourceEntry[]): Json | undefined {
  const members = new Map<string, Json>()
  const own = new Set<string>()
  for (const { key, isMerge, node } of entries) {
    if (isMerge) {
      const merged = mergedValue(node)
      if (merged === undefined) return undefined
      for (const [name, value] of merged) {
        if (own.has(name) && !sameJson(members.get(name), value)) return undefined
        members.set(name, value)
      }
    } else {
      if (key === undefined || node.value === undefined || own.has(key)) return undefined
      own.add(key)
      members.set(key, node.value)
    }
  }
  return Object.fromEntries(members)
}

/** The members that a merge key adds, in order of precedence, last wins; undefined if it is invalid. */
function mergedValue({ value }: Pick<SourceNode, 'value'>): [string, Json][] | undefined {
  const maps = Array.isArray(value) ? value.toReversed() : [value]
  const members: [string, Json][] = []
  for (const map of maps) {
    if (typeof map !== 'object' || map === null || Array.isArray(map)) return undefined
    members.push(...(Object.entries(map) as [string, Json][]))
  }
  return members
}
