import { type FolderFile, folderPath, maxFileBytes, openRevision } from '@agents/git'
import type { GitTarget } from '@agents/gittarget-api'
import type { KubeClient } from '@agents/kube'
import { withoutMark } from '../document/change-file.ts'
import { readDocument } from '../document/edit-manifest.ts'
import { identityKey, type ManifestIdentity } from '../document/identity.ts'
import { isMap, type JsonMap } from '../document/json.ts'
import { readManifests } from '../document/read-manifests.ts'
import { pathTemplateOf } from '../git-target/target-plan.ts'
import { ImpliedNamespaces, isKustomization } from '../mirror/snapshot/implied-namespaces.ts'
import { isOwnPath, mayHoldManifests } from '../mirror/snapshot/manifest-files.ts'
import { targetConnection } from '../repository/target-connection.ts'

export interface ReadOptions {
  readonly client: KubeClient
  /** A commit of the branch: its id, or its distance from the tip such as `HEAD~1`. If omitted, the tip. */
  readonly revision?: string | undefined
  /** For a temporary copy of the repository. Must not exist. */
  readonly directory: string
  /** Search path for `git` and `ssh`. */
  readonly path: string
  readonly signal: AbortSignal
}

/** An object as a file describes it. */
export interface StoredObject {
  /** The namespace is empty if the manifest has none. */
  readonly identity: ManifestIdentity
  /** Of the file, from the root of the repository. */
  readonly path: string
  readonly value: JsonMap
  /** The document, if its values are encrypted. */
  readonly encrypted: string | undefined
  /** Namespaces that the place of a manifest without one implies, the most likely first. */
  readonly impliedNamespaces: readonly string[]
}

/** A file, or an object in it, that cannot be used. */
export interface UnusableFile {
  readonly path: string
  /** Undefined if the file cannot be read at all. */
  readonly identity: ManifestIdentity | undefined
  readonly reason: string
}

export interface StoredObjects {
  readonly commit: string
  readonly objects: readonly StoredObject[]
  readonly unusable: readonly UnusableFile[]
}

/** Reads all objects that the folder of a target describes at a revision. Nothing is decrypted. */
export async function readStoredObjects(
  target: GitTarget,
  options: ReadOptions,
): Promise<StoredObjects> {
  const { revision, directory, path, signal } = options
  const { connection } = await targetConnection(target, options)
  const { branch } = target.spec
  const reader = await openRevision({ connection, branch, revision, directory, path, signal })
  try {
    const files = await reader.list(folderPath(target.spec.path))
    const found = [...files].filter(([file]) => mayHoldManifests(file))
    const oids = found.filter(([, { kind }]) => kind === 'file').map(([, { oid }]) => oid)
    const contents = await reader.read(oids, maxFileBytes)
    return { commit: reader.commit, ...objectsIn(found, contents, target) }
  } finally {
    await reader.close()
  }
}

function objectsIn(
  files: readonly (readonly [string, FolderFile])[],
  contents: ReadonlyMap<string, Buffer>,
  target: GitTarget,
): Omit<StoredObjects, 'commit'> {
  const unusable: UnusableFile[] = []
  const texts = new Map<string, string>()
  for (const [path, { kind, oid }] of files) {
    const content = kind === 'file' ? contents.get(oid) : undefined
    if (content !== undefined) texts.set(path, content.toString('utf8'))
    else unusable.push({ path, identity: undefined, reason: unread[kind] })
  }
  const namespaces = new ImpliedNamespaces(texts)
  const objects = new Map<string, StoredObject>()
  for (const [path, text] of texts) {
    // A folder may contain files of other kinds.
    if (isKustomization(path) || !text.includes('apiVersion')) continue
    for (const each of manifestsOf(path, text)) {
      if ('reason' in each) {
        unusable.push(each)
        continue
      }
      const implied = each.identity.namespace === '' ? namespaces.of(path) : []
      const place = implied.length > 0 ? `\0${path}` : ''
      const key = `${identityKey(each.identity)}${place}`
      // As in the mirror, the copy at the default path counts.
      if (objects.has(key) && !isAtOwnPath(each, target)) continue
      objects.set(key, { ...each, impliedNamespaces: implied })
    }
  }
  return { objects: [...objects.values()], unusable }
}

const unread = {
  file: `is larger than ${maxFileBytes / 1024 / 1024} MiB`,
  link: 'is a link, which is not followed',
  submodule: 'is a submodule',
}

function isAtOwnPath(
  { path, identity }: Pick<StoredObject, 'path' | 'identity'>,
  target: GitTarget,
) {
  const folder = folderPath(target.spec.path)
  return isOwnPath(path, identity, { folder, template: pathTemplateOf(target) })
}

function* manifestsOf(
  path: string,
  text: string,
): Generator<Omit<StoredObject, 'impliedNamespaces'> | UnusableFile> {
  const file = readManifests(withoutMark(text))
  if (file === undefined) {
    yield { path, identity: undefined, reason: 'is not valid YAML' }
    return
  }
  for (const { text: own, manifests } of file.documents) {
    if (manifests.length === 0) continue
    const document = readDocument(own)
    for (const { identity, item } of manifests) {
      const value = item === undefined ? document : itemsOf(document)[item]
      if (!isMap(value)) yield { path, identity, reason: 'cannot be read unambiguously' }
      else yield { path, identity, value, encrypted: isMap(value.sops) ? own : undefined }
    }
  }
}

function itemsOf(document: JsonMap | undefined): readonly unknown[] {
  return Array.isArray(document?.items) ? document.items : []
}
