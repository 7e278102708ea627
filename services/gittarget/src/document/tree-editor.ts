import { sameJson } from '@agents/kube'
import { alignItems } from './align-items.ts'
import { FlowEditor, type FlowPiece } from './flow-editor.ts'
import { isMap, type Json, type JsonMap } from './json.ts'
import { quotedText } from './scalar-text.ts'
import { isBlockNode, type SourceText } from './source-text.ts'
import type { SourceCollection, SourceEntry, SourceNode } from './source-tree.ts'
import { TextEdits } from './text-edits.ts'
import { itemLines, memberLines, sortedMembers, valueLines } from './write-manifest.ts'

/** The document cannot be edited in place. */
export class NotEditable extends Error {
  override name = 'NotEditable'
}

type Aligned = readonly (number | undefined)[]

/** Edits a document so that its values are others. Everything that need not change keeps its bytes. */
export class TreeEditor {
  readonly #source: SourceText
  readonly #hasAliases: boolean
  readonly #flow: FlowEditor
  /** What aliases stand for after the edits, by name of the anchor. */
  readonly #anchors = new Map<string, Json>()
  #edits = new TextEdits()

  constructor(source: SourceText, hasAliases: boolean) {
    this.#source = source
    this.#hasAliases = hasAliases
    this.#flow = new FlowEditor(source)
  }

  /** The text after the edits. */
  get text(): string {
    return this.#edits.applied(this.#source.text)
  }

  /** Edits a value that is not replaced as a whole. Returns false, without edits, if it would have to be. */
  value(node: SourceNode, value: Json): boolean {
    const isDone = this.#edited(node, value)
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, value)
    return isDone
  }

  #entry(entry: SourceEntry, value: Json, isFlow: boolean): void {
    if (this.value(entry.node, value)) return
    if (isFlow) this.#edits.replace(...this.#flow.replacement(entry, value))
    else this.#replace(entry, value)
  }

  #edited(node: SourceNode, value: Json): boolean {
    if (node.kind === 'alias') {
      const known = this.#anchors.get(node.name)
      return known !== undefined && sameJson(known, value)
    }
    const isSame = node.value !== undefined && sameJson(node.value, value)
    if (isSame && (node.kind === 'scalar' || !this.#hasAliases)) return true
    if (node.kind === 'map' && isMap(value)) return this.#editMap(node, value)
    if (node.kind === 'list' && Array.isArray(value)) return this.#editList(node, value)
    return false
  }

  #editMap(map: SourceCollection, value: JsonMap): boolean {
    const wanted = new Map(sortedMembers(value))
    const merged = this.#merged(map, wanted)
    const kept = new Map<string, SourceEntry>()
    for (const entry of map.entries) {
      if (entry.key !== undefined && !entry.isMerge && wanted.has(entry.key)) {
        kept.set(entry.key, entry)
      }
    }
    const stays = (entry: SourceEntry): boolean =>
      entry.isMerge ? merged !== undefined : kept.get(entry.key ?? '') === entry
    if (!map.entries.some(stays)) return map.entries.length === 0 && wanted.size === 0
    const change = (entry: SourceEntry): void => {
      const member = entry.isMerge ? undefined : wanted.get(entry.key ?? '')
      if (member !== undefined) this.#entry(entry, member, map.isFlow)
    }
    const added = [...wanted].filter(
      ([name, member]) => !kept.has(name) && !sameJson(merged?.get(name), member),
    )
    if (map.isFlow) {
      const staying = map.entries.filter(stays).map((entry) => ({ entry }))
      const adding = added.map(([key, member]) => ({ key, value: member }))
      this.#editFlow(map, [...staying, ...adding], change)
      return true
    }
    for (const entry of map.entries.filter(stays)) change(entry)
    this.#removeEntries(map, (entry) => !stays(entry))
    const lines = added.flatMap(([key, member]) =>
      memberLines(key, member, this.#source.indentsLists),
    )
    this.#insertLines(this.#source.endOf(map), map, lines)
    return true
  }

  /**
   * What the merge keys of a map add after the edits. Undefined if they cannot stay: they add a member that is not
   * wanted, or one that some readers would let win over a member of the map itself.
   */
  #merged(
    map: SourceCollection,
    wanted: ReadonlyMap<string, Json>,
  ): ReadonlyMap<string, Json> | undefined {
    const members = new Map<string, Json>()
    const own = new Set<string>()
    for (const { isMerge, key, node } of map.entries) {
      if (!isMerge) {
        if (key !== undefined) own.add(key)
        continue
      }
      const maps = this.#mergedMaps(node)
      if (maps === undefined) return undefined
      for (const [name, value] of maps.flatMap((each) => sortedMembers(each))) {
        const target = wanted.get(name)
        if (target === undefined) return undefined
        if (own.has(name) && !sameJson(value, target)) return undefined
        members.set(name, value)
      }
    }
    return members
  }

  #mergedMaps(node: SourceNode): JsonMap[] | undefined {
    const parts =
      node.kind === 'list' ? node.entries.map((entry) => entry.node).toReversed() : [node]
    const maps = parts.map((part) => {
      const value = part.kind === 'alias' ? this.#anchors.get(part.name) : undefined
      return isMap(value) ? value : undefined
    })
    return maps.every((each) => each !== undefined) ? maps : undefined
  }

  #editList(list: SourceCollection, items: readonly Json[]): boolean {
    const { entries, isFlow } = list
    if (items.length === 0 || entries.length === 0) return items.length === entries.length
    const aligned = alignItems(
      entries.map(({ node }) => node.value),
      items,
    )
    const known = aligned.filter((index) => index !== undefined)
    if (isFlow) {
      const itemOf = new Map(aligned.map((index, at) => [index, items[at] ?? null]))
      const pieces = aligned.map((index, at): FlowPiece => {
        const entry = index === undefined ? undefined : entries[index]
        return entry === undefined ? { value: items[at] ?? null } : { entry }
      })
      this.#editFlow(list, pieces, (entry) =>
        this.#entry(entry, itemOf.get(entries.indexOf(entry)) ?? null, true),
      )
      return true
    }
    const isSame = aligned.every((index, at) => index === at) && items.length === entries.length
    if (!isSame && !this.#source.startsLine(list.start)) return false
    const isInOrder = known.every((index, at) => at === 0 || index > (known[at - 1] ?? -1))
    if (isInOrder) this.#spliceItems(list, items, aligned)
    else this.#reorderItems(list, items, aligned)
    return true
  }

  #spliceItems(list: SourceCollection, items: readonly Json[], aligned: Aligned): void {
    const kept = new Set(aligned)
    let at = this.#source.headOf(list, 0)
    for (const [position, index] of aligned.entries()) {
      const item = items[position] ?? null
      const entry = index === undefined ? undefined : list.entries[index]
      if (entry === undefined) {
        this.#insertLines(at, list, itemLines(item, this.#source.indentsLists))
      } else {
        this.#entry(entry, item, false)
        at = this.#source.lineEnd(entry.end)
      }
    }
    this.#removeEntries(list, (_entry, index) => !kept.has(index))
  }

  /** Items that changed their order take the comments above them along. */
  #reorderItems(list: SourceCollection, items: readonly Json[], aligned: Aligned): void {
    const { entries } = list
    const source = this.#source
    const heads = entries.map((_entry, index) => source.headOf(list, index))
    const end = source.endOf(list)
    const chunks = aligned.map((index, position) => {
      const item = items[position] ?? null
      const entry = index === undefined ? undefined : entries[index]
      const wasLast = index === entries.length - 1
      const isMovedEnd = wasLast !== (position === aligned.length - 1)
      const isNew = index === undefined || entry === undefined
      if (isNew || (isMovedEnd && source.keepsLineBreaks(entry.node))) {
        return source.block(source.column(list.start), itemLines(item, source.indentsLists))
      }
      const edits = this.#apart(() => this.#entry(entry, item, false))
      const chunk = edits.applied(source.text, heads[index], heads[index + 1] ?? end)
      return chunk.endsWith('\n') ? chunk : `${chunk}${source.newline}`
    })
    this.#edits.replace(heads[0] ?? list.start, end, chunks.join(''))
  }

  #editFlow(
    collection: SourceCollection,
    pieces: readonly FlowPiece[],
    change: (entry: SourceEntry) => void,
  ): void {
    const { entries } = collection
    const isSame =
      pieces.length === entries.length &&
      pieces.every((piece, at) => 'entry' in piece && piece.entry === entries[at])
    if (isSame) {
      for (const entry of entries) change(entry)
      return
    }
    const text = this.#flow.rebuilt(collection, pieces, (entry) => this.#apart(() => change(entry)))
    this.#edits.replace(collection.start, collection.end, text)
  }

  #removeEntries(
    collection: SourceCollection,
    goes: (entry: SourceEntry, index: number) => boolean,
  ): void {
    const { entries } = collection
    const source = this.#source
    const [first] = entries
    let from = 0
    // The first entry of a map in a list follows the dash: the next one takes its place.
    if (first !== undefined && goes(first, 0) && !source.startsLine(first.start)) {
      from = entries.findIndex((entry, index) => !goes(entry, index))
      const next = entries[from]
      if (next === undefined) throw new NotEditable()
      this.#edits.replace(first.start, next.start, '')
    }
    for (const [index, entry] of entries.entries()) {
      if (index < from || !goes(entry, index)) continue
      this.#edits.replace(source.headOf(collection, index), source.removalEnd(entry.end), '')
    }
  }

  #insertLines(at: number, { entries, start }: SourceCollection, lines: readonly string[]): void {
    if (lines.length === 0) return
    const source = this.#source
    const isOpen = at === source.text.length && !source.text.endsWith('\n')
    const block = source.block(source.column(entries[0]?.start ?? start), lines)
    // A text without a final line break stays without one, unless the break could belong to a block scalar.
    const added = lines.length === 1 ? block.slice(0, -source.newline.length) : block
    const text = isOpen ? source.newline + added : block
    this.#edits.replace(at, source.insertionEnd(at, lines), text)
  }

  /** Replaces the value of a block entry as a whole. Its anchor and the comment on its line are kept. */
  #replace(entry: SourceEntry, value: Json): void {
    const { node, after, start } = entry
    if (after === undefined) throw new NotEditable()
    const source = this.#source
    const [first = '', ...rest] = this.#linesLike(node, value)
    const from = node.tagStart ?? node.start
    if (!isBlockNode(node) && rest.length === 0) {
      this.#edits.replace(from, node.end, from === after || from === node.end ? ` ${first}` : first)
      return
    }
    const isItem = source.text[start] === '-'
    const comment = source.commentOf(entry)
    const anchor = node.anchor === undefined ? '' : ` &${node.anchor}`
    const joins = isItem && first === '' && anchor === '' && comment === ''
    const [opening = '', ...below] = joins ? rest : [first, ...rest]
    const isFlush = !isItem && Array.isArray(value) && !source.indentsLists
    const block = source.block(source.column(start) + (isFlush ? 0 : 2), below)
    // Go does not accept a tab after a dash.
    const note = opening === '' && comment !== '' ? ` ${comment.trimStart()}` : comment
    const head = `${anchor}${opening === '' ? '' : ` ${opening}`}${note}`
    const end = source.insertionEnd(source.lineEnd(entry.end), [opening, ...below])
    this.#edits.replace(after, end, `${head}${source.newline}${block}`)
  }

  /** The lines of a new value, in the style of the old one if it was quoted. */
  #linesLike(node: SourceNode, value: Json): string[] {
    if (typeof value === 'string' && node.kind === 'scalar') {
      if (node.style === 'QUOTE_DOUBLE') return [quotedText(value, 'double')]
      if (node.style === 'QUOTE_SINGLE') return [quotedText(value, 'single')]
    }
    return valueLines(value, this.#source.indentsLists)
  }

  /** Runs edits apart from the others, and returns them. */
  #apart(work: () => void): TextEdits {
    const outer = this.#edits
    const inner = new TextEdits()
    this.#edits = inner
    try {
      work()
    } finally {
      this.#edits = outer
    }
    return inner
  }
}
