import { type Confirmation, type FolderContents, objectId } from '@agents/git'
import { changeFile, findManifest, withoutMark } from '../../document/change-file.ts'
import { identityKey, type ManifestIdentity } from '../../document/identity.ts'
import { inFolder, parseManifestPath } from '../../document/manifest-path.ts'
import type { PathTemplate } from '../../document/path-template.ts'
import { type Manifest, readManifests } from '../../document/read-manifests.ts'
import { writeManifest } from '../../document/write-manifest.ts'
import type { DesiredManifest } from './desired-state.ts'
import { ImpliedNamespaces, isKustomization } from './implied-namespaces.ts'
import { isFingerprinted } from './render-file.ts'

interface SnapshotInput {
  /** Without leading and trailing slashes; empty for the root. */
  readonly folder: string
  /** Layout of the folder. If omitted, the default one. */
  readonly template?: PathTemplate | undefined
  readonly files: FolderContents['files']
  read(oids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
  /** By identity. */
  readonly desired: ReadonlyMap<string, DesiredManifest>
  /** The new text of a file, for comparison. */
  render(
    path: string,
    current: string | undefined,
    manifest: DesiredManifest,
    impliesNamespace: boolean,
  ): Promise<string>
  /** Whether the file of an object that is not desired may be deleted. */
  isSwept(identity: ManifestIdentity): boolean
  /** Objects whose deletion was reported and whose manifests are still to be deleted, wherever they are. */
  readonly deletions: ReadonlyMap<string, ManifestIdentity>
}

/** A manifest and the path of its current or future file. */
export interface PlacedManifest {
  readonly identity: ManifestIdentity
  /** From the root of the repository. */
  readonly path: string
}

export interface SnapshotPlan {
  /** Manifests to create. */
  readonly created: readonly PlacedManifest[]
  /** Manifests to update. */
  readonly updated: readonly PlacedManifest[]
  /** Manifests of objects whose deletion was reported. */
  readonly deleted: readonly PlacedManifest[]
  /** Manifests of objects that were deleted without a report. */
  readonly swept: readonly PlacedManifest[]
  /** Blob IDs of files that already have the desired content, by identity. */
  readonly unchanged: ReadonlyMap<string, string>
  /** Paths of the manifests in the folder, by identity. */
  readonly located: ReadonlyMap<string, string>
  /** Identities of the manifests that have no namespace, because their place in the repository implies it. */
  readonly implied: ReadonlySet<string>
  /** Identities of the manifests at their default paths whose objects are not desired. */
  readonly unselected: ReadonlySet<string>
}

/**
 * Compares the content of the folder with the desired state. Files whose blob ID shows that they are up to date are
 * not read.
 */
export async function planSnapshot(input: SnapshotInput): Promise<SnapshotPlan> {
  const found = await locate(input)
  const { desired, deletions, folder } = input
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
    else if ((await rendered(input, path, current, manifest, found.implied)) !== current) {
      updated.push({ identity, path })
    }
  }
  const deleted = [...deletions].flatMap(([key, identity]) => {
    const path = found.located.get(key)
    return desired.has(key) || path === undefined ? [] : [{ identity, path }]
  })
  const swept = found.unselected.filter(
    ({ identity }) => !deletions.has(identityKey(identity)) && input.isSwept(identity),
  )
  const { located, unchanged, implied } = found
  const unselected = new Set(found.unselected.map(({ identity }) => identityKey(identity)))
  return { created, updated, deleted, swept, located, implied, unchanged, unselected }
}

export interface SnapshotStats {
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

/** The number of files that a snapshot changed; undefined if none. */
export function snapshotStats(
  plan: Pick<SnapshotPlan, 'created' | 'updated' | 'deleted' | 'swept'>,
  { changed }: Pick<Confirmation, 'changed'>,
): SnapshotStats | undefined {
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

/** Undefined if the file cannot be written. That is reported when it is written, and does not block other files. */
function rendered(
  { render }: SnapshotInput,
  path: string,
  current: string | undefined,
  manifest: DesiredManifest,
  implied: ReadonlySet<string>,
): Promise<string | undefined> {
  const impliesNamespace = implied.has(identityKey(manifest.identity))
  return render(path, current, manifest, impliesNamespace).catch(() => undefined)
}

interface Found {
  readonly located: Map<string, string>
  readonly implied: ReadonlySet<string>
  readonly unchanged: ReadonlyMap<string, string>
  readonly texts: ReadonlyMap<string, string>
  /** Manifests at the default path of an object that is not desired. */
  readonly unselected: readonly PlacedManifest[]
}

async function locate(input: SnapshotInput): Promise<Found> {
  const { folder, files, read, desired, deletions } = input
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
  const contents = await read([...new Set(unread.values())])
  const texts = new Map<string, string>()
  const unselected: PlacedManifest[] = []
  const bare: PlacedManifest[] = []
  for (const [path, oid] of unread) {
    const text = contents.get(oid)?.toString('utf8') ?? ''
    texts.set(path, text)
    const own = byPath.get(path)
    // The mirror encrypted the file for this path, so its content need not be read.
    if (own !== undefined && isFingerprinted(text)) {
      located.set(own.key, path)
      continue
    }
    for (const { identity } of manifestsIn(text)) {
      const key = identityKey(identity)
      if (identity.namespace === '') bare.push({ identity, path })
      const isOwnPlace = own?.key === key
      if (desired.has(key)) {
        if (isOwnPlace || !located.has(key)) located.set(key, path)
      } else {
        if (deletions.has(key)) located.set(key, path)
        if (isOwnPath(path, identity, input)) unselected.push({ identity, path })
      }
    }
  }
  const implied = new Set<string>()
  const namespaces = new ImpliedNamespaces(texts)
  for (const { identity, path } of bare) {
    const keys = namespaces.of(path).map((namespace) => identityKey({ ...identity, namespace }))
    const key = keys.find((each) => desired.has(each) || deletions.has(each))
    if (key === undefined || located.has(key)) continue
    located.set(key, path)
    implied.add(key)
  }
  return { located, implied, unchanged, texts, unselected }
}

export function mayHoldManifests(path: string): boolean {
  return isKustomization(path) || (/\.(?:ya?ml|json)$/.test(path) && !path.endsWith('/.sops.yaml'))
}

/** Whether the file describes the object, as far as that can be seen without the key. */
export function describes(
  text: string,
  identity: ManifestIdentity,
  impliesNamespace: boolean,
): boolean {
  if (isFingerprinted(text)) return true
  return findManifest(manifestsIn(text), identity, impliesNamespace) !== undefined
}

function manifestsIn(text: string): Manifest[] {
  // A folder may contain large files of other kinds.
  if (!text.includes('apiVersion')) return []
  const documents = readManifests(withoutMark(text))?.documents ?? []
  return documents.flatMap(({ manifests }) => manifests)
}

/** A manifest at any other path is never swept: a person put it there, possibly to apply it later. */
export function isOwnPath(
  path: string,
  identity: ManifestIdentity,
  { folder, template }: Pick<SnapshotInput, 'folder' | 'template'>,
): boolean {
  const relative = folder === '' ? path : path.slice(folder.length + 1)
  if (template !== undefined) return template.isPathOf(relative, identity)
  const place = parseManifestPath(relative)
  return (
    place !== undefined &&
    place.group === identity.group &&
    place.namespace === identity.namespace &&
    place.name === identity.name
  )
}

function oidOf({ object }: DesiredManifest): string {
  return objectId('blob', Buffer.from(writeManifest(object)))
}

/** Removes a manifest from its file, and the file with its last manifest. */
export function removal(identity: ManifestIdentity, impliesNamespace: boolean) {
  return (current: Buffer | undefined): Buffer | null => {
    if (current === undefined) return null
    const text = current.toString('utf8')
    if (isFingerprinted(text)) return null
    const left = changeFile(text, { identity, object: undefined, impliesNamespace })
    return left.text === null ? null : Buffer.from(left.text)
  }
}
