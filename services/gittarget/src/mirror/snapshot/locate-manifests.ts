import { type FolderContents, objectId } from '@agents/git'
import { identityKey, type ManifestIdentity } from '../../document/identity.ts'
import { inFolder } from '../../document/manifest-path.ts'
import { writeManifest } from '../../document/write-manifest.ts'
import type { DesiredManifest } from './desired-state.ts'
import { type BlobReader, FolderTexts } from './folder-texts.ts'
import { ImpliedNamespaces } from './implied-namespaces.ts'
import { type FolderLayout, isOwnPath, manifestsIn, mayHoldManifests } from './manifest-files.ts'
import { isFingerprinted } from './render-file.ts'

export interface FolderState extends FolderLayout {
  readonly files: FolderContents['files']
  readonly blobs: BlobReader
  /** By identity. */
  readonly desired: ReadonlyMap<string, DesiredManifest>
  /** Objects whose deletion was reported and whose manifests are still to be deleted, wherever they are. */
  readonly deletions: ReadonlyMap<string, ManifestIdentity>
}

/** A manifest and the path of its current or future file. */
export interface PlacedManifest {
  readonly identity: ManifestIdentity
  /** From the root of the repository. */
  readonly path: string
}

interface LocatedManifests {
  /** Paths of the manifests in the folder, by identity. */
  readonly located: ReadonlyMap<string, string>
  /** Identities of the manifests that have no namespace, because their place in the repository implies it. */
  readonly implied: ReadonlySet<string>
  /** Blob IDs of files that already have the desired content, by identity. */
  readonly unchanged: ReadonlyMap<string, string>
  /** Manifests at the default path of an object that is not desired. */
  readonly unselected: readonly PlacedManifest[]
  readonly texts: FolderTexts
}

/** Finds the manifests of the folder. Files whose blob ID shows that they are up to date are not read. */
export async function locateManifests(state: FolderState): Promise<LocatedManifests> {
  const { folder, files, blobs, desired, deletions } = state
  const byPath = new Map(
    [...desired].map(([key, manifest]) => [inFolder(folder, manifest.path), { key, manifest }]),
  )
  const located = new Map<string, string>()
  const unchanged = new Map<string, string>()
  const unread = new Map<string, string>()
  for (const [path, { kind, oid }] of files) {
    if (kind !== 'file' || !mayHoldManifests(path)) continue
    const own = byPath.get(path)
    if (own !== undefined && !own.manifest.isSecret && oid === oidOf(own.manifest)) {
      located.set(own.key, path)
      unchanged.set(own.key, oid)
    } else {
      unread.set(path, oid)
    }
  }
  const texts = await FolderTexts.open(blobs, unread)
  const unselected: PlacedManifest[] = []
  const bare = new BareManifests(state)
  const note = (path: string, identities: ReadonlyMap<string, ManifestIdentity>): boolean => {
    let isNeeded = false
    for (const [key, identity] of identities) {
      if (identity.namespace === '' && bare.add(identity, path)) isNeeded = true
      if (desired.has(key)) {
        const isOwnPlace = byPath.get(path)?.key === key
        if (isOwnPlace || !located.has(key)) located.set(key, path)
        isNeeded = true
      } else {
        if (deletions.has(key)) located.set(key, path)
        if (isOwnPath(path, identity, state)) unselected.push({ identity, path })
      }
    }
    return isNeeded
  }
  for await (const { paths, text } of texts.all()) {
    let identities: ReadonlyMap<string, ManifestIdentity> | undefined
    for (const path of paths) {
      const own = byPath.get(path)
      // The mirror encrypted the file for this path, so its content need not be parsed.
      if (own !== undefined && isFingerprinted(text)) {
        located.set(own.key, path)
        texts.keep(path, text)
        continue
      }
      identities ??= identitiesIn(text)
      if (note(path, identities)) texts.keep(path, text)
    }
  }
  const implied = bare.locate(new ImpliedNamespaces(texts.kustomizations), located)
  return { located, implied, unchanged, texts, unselected }
}

/** Manifests without a namespace that may describe an object whose manifest is searched for. */
class BareManifests {
  readonly #state: Pick<FolderState, 'desired' | 'deletions'>
  readonly #found: PlacedManifest[] = []
  #wanted: ReadonlySet<string> | undefined

  constructor(state: Pick<FolderState, 'desired' | 'deletions'>) {
    this.#state = state
  }

  /** Returns false if the manifest describes no such object in any namespace. */
  add(identity: ManifestIdentity, path: string): boolean {
    const { desired, deletions } = this.#state
    // Most folders have no such manifest.
    this.#wanted ??= new Set([
      ...[...desired.values()].map((manifest) => withoutNamespace(manifest.identity)),
      ...[...deletions.values()].map(withoutNamespace),
    ])
    if (!this.#wanted.has(identityKey(identity))) return false
    this.#found.push({ identity, path })
    return true
  }

  /** Adds those to `located` whose place implies a namespace. Returns their identities. */
  locate(namespaces: ImpliedNamespaces, located: Map<string, string>): Set<string> {
    const { desired, deletions } = this.#state
    const implied = new Set<string>()
    for (const { identity, path } of this.#found) {
      const keys = namespaces.of(path).map((namespace) => identityKey({ ...identity, namespace }))
      const key = keys.find((each) => desired.has(each) || deletions.has(each))
      if (key === undefined || located.has(key)) continue
      located.set(key, path)
      implied.add(key)
    }
    return implied
  }
}

function withoutNamespace(identity: ManifestIdentity): string {
  return identityKey({ ...identity, namespace: '' })
}

/** By key, because a file may describe the same object many times. */
function identitiesIn(text: string): ReadonlyMap<string, ManifestIdentity> {
  const identities = manifestsIn(text).map(({ identity }) => detached(identity))
  return new Map(identities.map((identity) => [identityKey(identity), identity]))
}

/** A copy. The parts of a parsed identity are slices of the text, and would keep the whole text in memory. */
function detached(identity: ManifestIdentity): ManifestIdentity {
  return JSON.parse(JSON.stringify(identity)) as ManifestIdentity
}

function oidOf({ object }: DesiredManifest): string {
  return objectId('blob', Buffer.from(writeManifest(object)))
}
