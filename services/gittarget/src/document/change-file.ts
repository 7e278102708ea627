import { editManifest } from './edit-manifest.ts'
import { identityKey, type ManifestIdentity } from './identity.ts'
import type { JsonMap } from './json.ts'
import { isManifest, readManifests } from './read-manifests.ts'
import { writeManifest } from './write-manifest.ts'

/** What the mirror does to one file for one object: the other documents of the file stay as they are, byte for byte. */
export interface FileEdit {
  readonly identity: ManifestIdentity
  /** Undefined: the object is gone. */
  readonly object: JsonMap | undefined
}

/** The file's new text; null when nothing is left in it. */
export const changeFile = (
  text: string | undefined,
  { identity, object }: FileEdit,
): string | null => {
  if (text === undefined || text.trim() === '') {
    return object === undefined ? (text ?? null) : writeManifest(object)
  }
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text
  const file = readManifests(bare)
  // At this path nobody else's file can be, so a broken one is ours, broken by hand.
  if (file === undefined) return object === undefined ? text : writeManifest(object)
  const key = identityKey(identity)
  const index = file.documents.findIndex(
    (document) => isManifest(document) && identityKey(document.identity) === key,
  )
  const texts = file.documents.map((document) => document.text)
  const mark = text.slice(0, text.length - bare.length)
  if (index === -1) return object === undefined ? text : mark + appended(bare, object)
  if (object === undefined) {
    const rest = texts.toSpliced(index, 1).join('')
    return isBlank(rest) ? null : mark + rest
  }
  return mark + texts.with(index, editManifest(texts[index] ?? '', object)).join('')
}

const appended = (text: string, object: JsonMap): string =>
  `${text.endsWith('\n') ? text : `${text}\n`}---\n${writeManifest(object)}`

const isBlank = (text: string): boolean => /^(?:\s|---|\.\.\.)*$/.test(text)
