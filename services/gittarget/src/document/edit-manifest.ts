import { sameJson } from '@agents/kube'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { isMap as isJsonMap, type Json, type JsonMap } from './json.ts'
import { parseEditable } from './read-manifests.ts'
import { writeManifest } from './write-manifest.ts'

/**
 * The text of a document, changed so that it describes the object. Comments, order and style of what stays the same are kept;
 * a text that describes the object already is returned as it is. What cannot be edited safely is written anew.
 */
export const editManifest = (text: string, object: JsonMap): string => {
  const canonical = writeManifest(object)
  if (text === canonical) return text
  const document = parseEditable(text)
  if (document === undefined) return canonical
  if (sameJson(plainValue(document), object)) return text
  if (!isMap(document.contents) || hasReferences(document)) return canonical
  // Ours, and untouched: then there is nothing to keep.
  if (isCanonical(text, document)) return canonical
  editMap(document, document.contents, object)
  const edited = print(text, document)
  const check = parseEditable(edited)
  return check !== undefined && sameJson(check.toJS(), object) ? edited : canonical
}

/** Undefined for a text of a few lines that could stand for gigabytes. */
const plainValue = (document: Document.Parsed): unknown => {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

const isCanonical = (text: string, document: Document.Parsed): boolean => {
  const value = document.toJS() as unknown
  return isJsonMap(value) && writeManifest(value) === text
}

const hasReferences = (document: Document.Parsed): boolean => {
  let found = false
  visit(document, (_key, node) => {
    if (!isAlias(node) && !hasMark(node)) return undefined
    found = true
    return visit.BREAK
  })
  return found
}

const hasMark = (node: unknown): boolean => {
  const { anchor, tag } = (node ?? {}) as { anchor?: unknown; tag?: unknown }
  return anchor !== undefined || (typeof tag === 'string' && !tag.startsWith('tag:yaml.org,2002:'))
}

const editMap = (document: Document.Parsed, map: YAMLMap, value: JsonMap): void => {
  const wanted = Object.entries(value).filter(([, member]) => member !== undefined)
  const names = new Set(wanted.map(([name]) => name))
  map.items = map.items.filter(({ key }) => names.has(keyText(key)))
  const pairs = new Map(map.items.map((pair) => [keyText(pair.key), pair]))
  const added: [string, Json][] = []
  for (const [name, member = null] of wanted) {
    const pair = pairs.get(name)
    if (pair === undefined) added.push([name, member])
    else pair.value = edited(document, pair.value as Node | null, member)
  }
  added.sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, member] of added) map.items.push(document.createPair(name, member))
}

const keyText = (key: unknown): string => (isScalar(key) ? String(key.value) : String(key))

const edited = (document: Document.Parsed, node: Node | null, value: Json): Node => {
  if (node !== null && sameJson(node.toJS(document), value)) return node
  if (isMap(node) && isJsonMap(value)) {
    editMap(document, node, value)
    return node
  }
  if (isSeq(node) && Array.isArray(value)) {
    editList(document, node, value)
    return node
  }
  const fresh = document.createNode(value) as Node
  if (isScalar(node) && isScalar(fresh)) {
    // The style stays only where it can hold the new value.
    if (
      typeof node.value === 'string' &&
      typeof fresh.value === 'string' &&
      node.type !== 'PLAIN'
    ) {
      fresh.type = node.type as NonNullable<typeof fresh.type>
    }
  }
  if (node?.comment) fresh.comment = node.comment
  if (node?.commentBefore) fresh.commentBefore = node.commentBefore
  return fresh
}

/** Items that have a name keep their comments wherever they go; others are compared by their place. */
const editList = (document: Document.Parsed, list: YAMLSeq, items: readonly Json[]): void => {
  const old = list.items as (Node | null)[]
  const byName = new Map(old.flatMap((node) => nameOf(node)?.map((name) => [name, node]) ?? []))
  list.items = items.map((item, index) => {
    const name = isJsonMap(item) && typeof item.name === 'string' ? item.name : undefined
    const known = name === undefined ? old[index] : byName.get(name)
    return edited(document, known ?? null, item)
  })
}

const nameOf = (node: Node | null): [string] | undefined => {
  if (!isMap(node)) return undefined
  const name = node.get('name')
  return typeof name === 'string' ? [name] : undefined
}

/** In the file's own way: list indentation and line ends. */
const print = (text: string, document: Document.Parsed): string => {
  const indentSeq = !/^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n\1- /m.test(text)
  const printed = document.toString({ lineWidth: 0, indentSeq })
  const ended = text.endsWith('\n') ? printed : printed.replace(/\n$/, '')
  return text.includes('\r\n') ? ended.replaceAll('\n', '\r\n') : ended
}
