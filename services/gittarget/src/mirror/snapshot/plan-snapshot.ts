import type { Confirmation } from '@agents/git'
import { changeFile } from '../../document/change-file.ts'
import { identityKey, type ManifestIdentity } from '../../document/identity.ts'
import { inFolder } from '../../document/manifest-path.ts'
import type { DesiredManifest } from './desired-state.ts'
import { type FolderState, locateManifests, type PlacedManifest } from './locate-manifests.ts'
import { isFingerprinted } from './render-file.ts'

interface SnapshotInput extends FolderState {
  /** The new text of a file, for comparison. */
  render(
    path: string,
    current: string | undefined,
    manifest: DesiredManifest,
    impliesNamespace: boolean,
  ): Promise<string>
  /** Whether the file of an object that is not desired may be deleted. */
  isSwept(identity: ManifestIdentity): boolean
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
  const found = await locateManifests(input)
  const { desired, deletions, folder } = input
  const created: PlacedManifest[] = []
  const existing = new Map<string, DesiredManifest[]>()
  for (const [key, manifest] of desired) {
    if (found.unchanged.has(key)) continue
    const { identity, operations } = manifest
    const path = found.located.get(key)
    if (!operations.has(path === undefined ? 'CREATE' : 'UPDATE')) continue
    const others = existing.get(path ?? '')
    if (path === undefined) created.push({ identity, path: inFolder(folder, manifest.path) })
    else if (others === undefined) existing.set(path, [manifest])
    else others.push(manifest)
  }
  const updated: PlacedManifest[] = []
  for await (const [path, current] of found.texts.of(existing.keys())) {
    for (const manifest of existing.get(path) ?? []) {
      const { identity } = manifest
      if ((await rendered(input, path, current, manifest, found.implied)) !== current) {
        updated.push({ identity, path })
      }
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
  current: string,
  manifest: DesiredManifest,
  implied: ReadonlySet<string>,
): Promise<string | undefined> {
  const impliesNamespace = implied.has(identityKey(manifest.identity))
  return render(path, current, manifest, impliesNamespace).catch(() => undefined)
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
