import type { KubeObject } from '@agents/kube'
import { identityKey, identityOf, type ManifestIdentity } from '../document/identity.ts'
import type { JsonMap } from '../document/json.ts'
import { manifestPath } from '../document/manifest-path.ts'
import { sanitize } from '../document/sanitize.ts'
import { isSecret, type ResourceType } from './resource-type.ts'
import type { Operation, Selection } from './selection.ts'
import type { Stream } from './stream.ts'

/** One stream, and what the target's rules take from it. */
export interface WatchedType {
  readonly type: ResourceType
  readonly stream: Pick<Stream, 'objects' | 'get' | 'state' | 'hasSynced'>
  readonly selections: readonly Selection[]
}

/** An object as it shall be in the folder. */
export interface DesiredManifest {
  readonly identity: ManifestIdentity
  readonly object: JsonMap
  readonly isSecret: boolean
  /** Below the target's folder, when nobody has moved it. */
  readonly path: string
  readonly operations: ReadonlySet<Operation>
}

/** Everything that the rules choose, by identity. */
export const desiredState = (watched: readonly WatchedType[]): Map<string, DesiredManifest> => {
  const desired = new Map<string, DesiredManifest>()
  for (const part of watched) {
    if (!part.stream.hasSynced) continue
    for (const object of part.stream.objects()) {
      const manifest = desiredManifest(object, part)
      if (manifest === undefined) continue
      const key = identityKey(manifest.identity)
      const other = desired.get(key)
      desired.set(key, other === undefined ? manifest : merged(other, manifest))
    }
  }
  return desired
}

/** One object as it shall be now; undefined when the rules do not, or no longer, choose it. */
export const desiredNow = (
  watched: readonly WatchedType[],
  identity: ManifestIdentity,
): DesiredManifest | undefined => {
  const { namespace, name } = identity
  const key = namespace === '' ? { name } : { namespace, name }
  let found: DesiredManifest | undefined
  for (const part of watched.filter(({ type }) => isOfType(identity, type))) {
    const object = part.stream.get(key)
    const manifest = object && desiredManifest(object, part)
    if (manifest !== undefined) found = found === undefined ? manifest : merged(found, manifest)
  }
  return found
}

/** Whether the rules choose the object as it is now; cheaper than asking how it shall be. */
export const isDesiredNow = (
  watched: readonly WatchedType[],
  { group, kind, namespace, name }: ManifestIdentity,
): boolean => {
  for (const { type, stream, selections } of watched) {
    if (type.group !== group || type.kind !== kind) continue
    const object = stream.get(namespace === '' ? { name } : { namespace, name })
    if (object === undefined || isGoing(object)) continue
    if (selections.some(({ chooses }) => chooses(object))) return true
  }
  return false
}

/** Whether the rules want to know that an object of this identity is gone. */
export const wantsDeletion = (
  watched: readonly WatchedType[],
  identity: ManifestIdentity,
): boolean => covering(watched, identity).some(({ operations }) => operations.has('DELETE'))

/** Whether everything that could show the object is up to date, so that its absence means that it is gone. */
export const isKnownToBeGone = (
  watched: readonly WatchedType[],
  identity: ManifestIdentity,
): boolean => covering(watched, identity).every(({ isLive }) => isLive)

const covering = (watched: readonly WatchedType[], identity: ManifestIdentity) =>
  watched
    .filter(({ type }) => isOfType(identity, type))
    .flatMap(({ stream, selections }) =>
      selections
        .filter(({ covers }) => covers(identity.namespace))
        .map(({ operations }) => ({ operations, isLive: stream.state.kind === 'live' })),
    )

export const pathOf = (identity: ManifestIdentity, type: ResourceType): string =>
  manifestPath({ ...identity, resource: type.resource })

const isOfType = ({ group, kind }: ManifestIdentity, type: ResourceType): boolean =>
  type.group === group && type.kind === kind

const desiredManifest = (
  object: KubeObject,
  { type, selections }: WatchedType,
): DesiredManifest | undefined => {
  if (isGoing(object)) return undefined
  const choosing = selections.filter(({ chooses }) => chooses(object))
  const [first, ...others] = choosing
  if (first === undefined) return undefined
  const identity = identityOf(object)
  return {
    identity,
    // Made when it is asked for: a comparison holds all of them at once, and needs each only for a moment.
    get object() {
      return sanitize(object)
    },
    isSecret: isSecret(type),
    path: pathOf(identity, type),
    operations: others.reduce((all, { operations }) => all.union(operations), first.operations),
  }
}

/** What is being deleted is as good as gone, and a restart must not bring its file back. */
const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

const merged = (a: DesiredManifest, b: DesiredManifest): DesiredManifest => ({
  ...a,
  operations: a.operations.union(b.operations),
})
