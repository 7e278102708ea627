import { editManifest, readDocument } from './edit-manifest.ts'
import { identityKey, type ManifestIdentity } from './identity.ts'
import { isMap, type Json, type JsonMap, withMember } from './json.ts'
import { type Manifest, readManifests } from './read-manifests.ts'
import { writeManifest } from './write-manifest.ts'

/** A change of one object in a file. The other documents of the file are kept byte for byte. */
interface FileEdit {
  readonly identity: ManifestIdentity
  /** Undefined if the object was deleted. */
  readonly object: JsonMap | undefined
  /** Whether a manifest without a namespace describes the object: its place in the repository implies the namespace. */
  readonly impliesNamespace?: boolean
}

export interface ChangedFile {
  /** The new text; null if it has no content left. */
  readonly text: string | null
  /** Whether a document could not be edited and was written from scratch, without its comments. */
  readonly isRewritten: boolean
}

/** The object is an item of a List in which another item cannot be read, so that the List cannot be changed safely. */
class UnreadableList extends Error {
  override name = 'UnreadableList'
}

export function changeFile(text: string | undefined, edit: FileEdit): ChangedFile {
  const { identity, object } = edit
  if (text === undefined || text.trim() === '') {
    return kept(object === undefined ? (text ?? null) : writeManifest(object))
  }
  const bare = withoutMark(text)
  const mark = text.slice(0, text.length - bare.length)
  const file = readManifests(bare)
  // Only the mirror writes files at this path, so an unreadable file is one of its own that was edited by hand.
  if (file === undefined) {
    return object === undefined ? kept(text) : { text: writeManifest(object), isRewritten: true }
  }
  const texts = file.documents.map((document) => document.text)
  for (const [index, { text: own, manifests }] of file.documents.entries()) {
    const found = findManifest(manifests, identity, edit.impliesNamespace === true)
    if (found === undefined) continue
    const changed = changeDocument(own, found, object)
    const next = changed.text === null ? texts.toSpliced(index, 1) : texts.with(index, changed.text)
    const rest = joined(next)
    return { ...changed, text: isBlank(rest) ? null : mark + rest }
  }
  return kept(object === undefined ? text : mark + appended(bare, object))
}

/** What a file says about an object, as Go reads it; undefined if it does not describe the object or is invalid. */
export function readManifest(
  text: string,
  identity: ManifestIdentity,
  impliesNamespace: boolean,
): JsonMap | undefined {
  for (const { text: own, manifests } of readManifests(withoutMark(text))?.documents ?? []) {
    const found = findManifest(manifests, identity, impliesNamespace)
    if (found === undefined) continue
    const value = readDocument(own)
    const item = found.item === undefined ? value : itemsOf(value)[found.item]
    return isMap(item) ? item : undefined
  }
  return undefined
}

/** The manifest of an object among others. */
export function findManifest(
  manifests: readonly Manifest[],
  identity: ManifestIdentity,
  impliesNamespace: boolean,
): Manifest | undefined {
  const named = (namespace: string): Manifest | undefined => {
    const key = identityKey({ ...identity, namespace })
    return manifests.find((each) => identityKey(each.identity) === key)
  }
  return named(identity.namespace) ?? (impliesNamespace ? named('') : undefined)
}

/** A byte order mark does not belong to the first document. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function kept(text: string | null): ChangedFile {
  return { text, isRewritten: false }
}

function changeDocument(
  text: string,
  { identity, item }: Manifest,
  object: JsonMap | undefined,
): ChangedFile {
  const wanted = object && (identity.namespace === '' ? withoutNamespace(object) : object)
  if (item === undefined) return wanted === undefined ? kept(null) : editManifest(text, wanted)
  const list = readDocument(text)
  const items = itemsOf(list)
  if (list === undefined) {
    throw new UnreadableList('another item of the List in this file cannot be read')
  }
  const next: readonly Json[] =
    wanted === undefined ? items.toSpliced(item, 1) : items.with(item, wanted)
  return next.length === 0 ? kept(null) : editManifest(text, withMember(list, 'items', next))
}

function itemsOf(list: JsonMap | undefined): readonly Json[] {
  const items = list?.items
  return Array.isArray(items) ? items : []
}

/** The manifest of a namespaced object stays without a namespace, because its place implies it. */
function withoutNamespace(object: JsonMap): JsonMap {
  const { metadata } = object
  return isMap(metadata)
    ? withMember(object, 'metadata', withMember(metadata, 'namespace', undefined))
    : object
}

/** Documents need a separator between them, also where one ended with `...` before. */
function joined(texts: readonly string[]): string {
  return texts
    .map((text, index) => {
      const before = texts[index - 1]
      const isSeparate = before === undefined || separated.test(text) || ended.test(before)
      return isSeparate || text.trim() === '' ? text : `---\n${text}`
    })
    .join('')
}

const ended = /(?:^|\n)\.\.\.[ \t]*\r?\n?$/
/** Each line can be read in one way only: two would double the work with each line. */
const separated = /^(?:[ \t]*(?:#[^\n]*|\r)?\n|%[^\n]*\n)*---(?:\s|$)/

function appended(text: string, object: JsonMap): string {
  return `${text.endsWith('\n') ? text : `${text}\n`}---\n${writeManifest(object)}`
}

function isBlank(text: string): boolean {
  return /^(?:\s|---|\.\.\.)*$/.test(text)
}
