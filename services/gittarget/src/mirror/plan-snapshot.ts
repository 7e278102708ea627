import { type Confirmation, type FolderContents, objectId } from '@agents/git'
import { changeFile } from '../document/change-file.ts'
import { identityKey, type ManifestIdentity } from '../document/identity.ts'
import { parseManifestPath } from '../document/manifest-path.ts'
import { isManifest, readManifests } from '../document/read-manifests.ts'
import { writeManifest } from '../document/write-manifest.ts'
import type { DesiredManifest } from './desired-state.ts'
import type { SnapshotStats } from './mirror-state.ts'
import { isFingerprinted } from './render-file.ts'

export interface SnapshotInput {
  /** Without slashes around it; empty for the root. */
  readonly folder: string
  readonly files: FolderContents['files']
  read(oids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
  /** By identity. */
  readonly desired: ReadonlyMap<string, DesiredManifest>
  /** The new text of a file, for comparing. */
  render(path: string, current: string | undefined, manifest: DesiredManifest): Promise<string>
  /** Whether a file that describes an object that is not desired may go. */
  isSwept(identity: ManifestIdentity): boolean
  /** What was seen to go and is still to be deleted, wherever it is. */
  readonly gone: ReadonlyMap<string, ManifestIdentity>
}

/** A manifest and the file that it is in, or shall be. */
export interface PlacedManifest {
  readonly identity: ManifestIdentity
  /** From the root of the repository. */
  readonly path: string
}

export interface SnapshotPlan {
  /** Manifests that are missing. */
  readonly created: readonly PlacedManifest[]
  /** Manifests that say something else. */
  readonly updated: readonly PlacedManifest[]
  /** Manifests whose objects were seen to go. */
  readonly deleted: readonly PlacedManifest[]
  /** Manifests whose objects went away unseen. */
  readonly swept: readonly PlacedManifest[]
  /** Names of files that are byte for byte what would be written, by identity. */
  readonly unchanged: ReadonlyMap<string, string>
  /** Where each manifest is that the folder holds, by identity. */
  readonly located: ReadonlyMap<string, string>
  /** Identities of the manifests at home in the folder whose objects are not desired. */
  readonly strangers: ReadonlySet<string>
}

/** Compares what the folder holds with what it shall hold. Reads only files whose name does not tell that they are right. */
export const planSnapshot = async (input: SnapshotInput): Promise<SnapshotPlan> => {
  const found = await locate(input)
  const { desired, gone, folder } = input
  const created: PlacedManifest[] = []
  const updated: PlacedManifest[] = []
  for (const [key, manifest] of desired) {
    if (found.unchanged.has(key)) continue
    const { identity, operations } = manifest
    const known = found.located.get(key)
    const path = known ?? inFolder(folder, manifest.path)
    if (!operations.has(known === undefined ? 'CREATE' : 'UPDATE')) continue
    const current = found.texts.get(path)
    if (known === undefined) created.push({ identity, path })
    else if ((await rendered(input, path, current, manifest)) !== current) {
      updated.push({ identity, path })
    }
  }
  const deleted = [...gone].flatMap(([key, identity]) => {
    const path = found.located.get(key)
    return desired.has(key) || path === undefined ? [] : [{ identity, path }]
  })
  const swept = found.strangers.filter(
    ({ identity }) => !gone.has(identityKey(identity)) && input.isSwept(identity),
  )
  const { located, unchanged } = found
  const strangers = new Set(found.strangers.map(({ identity }) => identityKey(identity)))
  return { created, updated, deleted, swept, located, unchanged, strangers }
}

/** What a snapshot really changed; undefined when that was nothing. */
export const snapshotStats = (
  plan: Pick<SnapshotPlan, 'created' | 'updated' | 'deleted' | 'swept'>,
  { changed }: Pick<Confirmation, 'changed'>,
): SnapshotStats | undefined => {
  if (changed.length === 0) return undefined
  const paths = new Set(changed)
  const count = (placed: readonly PlacedManifest[]): number =>
    placed.filter(({ path }) => paths.has(path)).length
  return {
    created: count(plan.created),
    updated: count(plan.updated),
    deleted: count([...plan.deleted, ...plan.swept]),
  }
}

/** Undefined for what cannot be written, which is told when it is tried, and holds up nothing else. */
const rendered = (
  { render }: SnapshotInput,
  path: string,
  current: string | undefined,
  manifest: DesiredManifest,
): Promise<string | undefined> => render(path, current, manifest).catch(() => undefined)

interface Found {
  readonly located: Map<string, string>
  readonly unchanged: ReadonlyMap<string, string>
  readonly texts: ReadonlyMap<string, string>
  /** Files at the place of an object that is not desired, and describing it. */
  readonly strangers: readonly PlacedManifest[]
}

const locate = async ({ folder, files, read, desired, gone }: SnapshotInput): Promise<Found> => {
  const byPath = new Map(
    [...desired].map(([key, manifest]) => [inFolder(folder, manifest.path), { key, manifest }]),
  )
  const located = new Map<string, string>()
  const unchanged = new Map<string, string>()
  const unread = new Map<string, string>()
  for (const [path, { kind, oid }] of files) {
    if (kind !== 'file' || !/\.ya?ml$/.test(path) || path.endsWith('/.sops.yaml')) continue
    const own = byPath.get(path)
    if (own !== undefined && !own.manifest.isSecret && oid === oidOf(own.manifest)) {
      located.set(own.key, path)
      unchanged.set(own.key, oid)
    } else {
      unread.set(path, oid)
    }
  }
  const contents = await read([...new Set(unread.values())])
  const texts = new Map<string, string>()
  const strangers: PlacedManifest[] = []
  for (const [path, oid] of unread) {
    const text = contents.get(oid)?.toString('utf8') ?? ''
    texts.set(path, text)
    const own = byPath.get(path)
    // Encrypted by us, for this very path: what it says need not be read.
    if (own !== undefined && isFingerprinted(text)) {
      located.set(own.key, path)
      continue
    }
    for (const identity of identitiesIn(text)) {
      const key = identityKey(identity)
      const isOwnPlace = own?.key === key
      if (desired.has(key)) {
        if (isOwnPlace || !located.has(key)) located.set(key, path)
      } else {
        if (gone.has(key)) located.set(key, path)
        if (isAtHome(path, folder, identity)) strangers.push({ identity, path })
      }
    }
  }
  return { located, unchanged, texts, strangers }
}

/** Whether the file describes the object, as far as one can tell without a key. */
export const describes = (text: string, identity: ManifestIdentity): boolean => {
  const key = identityKey(identity)
  return isFingerprinted(text) || identitiesIn(text).some((other) => identityKey(other) === key)
}

const identitiesIn = (text: string): ManifestIdentity[] => {
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text
  const documents = readManifests(bare)?.documents ?? []
  return documents.filter(isManifest).map(({ identity }) => identity)
}

/** A person's manifest at a place of its own is never swept: it may be meant to be applied yet. */
const isAtHome = (path: string, folder: string, identity: ManifestIdentity): boolean => {
  const place = parseManifestPath(folder === '' ? path : path.slice(folder.length + 1))
  return (
    place !== undefined &&
    place.group === identity.group &&
    place.namespace === identity.namespace &&
    place.name === identity.name
  )
}

const oidOf = ({ object }: DesiredManifest): string =>
  objectId('blob', Buffer.from(writeManifest(object)))

export const inFolder = (folder: string, path: string): string =>
  folder === '' ? path : `${folder}/${path}`

/** Takes a manifest out of its file; the file goes with its last one. */
export const removal =
  (identity: ManifestIdentity) =>
  (current: Buffer | undefined): Buffer | null => {
    if (current === undefined) return null
    const text = current.toString('utf8')
    if (isFingerprinted(text)) return null
    const left = changeFile(text, { identity, object: undefined })
    return left === null ? null : Buffer.from(left)
  }
