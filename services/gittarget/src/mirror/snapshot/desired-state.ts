import type { KubeObject } from '@agents/kube'
import { identityKey, identityOf, type ManifestIdentity } from '../../document/identity.ts'
import type { FieldPath } from '../../document/ignored-fields.ts'
import type { JsonMap } from '../../document/json.ts'
import { manifestPath } from '../../document/manifest-path.ts'
import type { PathTemplate } from '../../document/path-template.ts'
import { manifestOf } from '../selection/ignored.ts'
import { isSecret, type ResourceType } from '../selection/resource-type.ts'
import type { Operation } from '../selection/selection.ts'
import type { WatchedType } from '../stream/watched-streams.ts'

/** An object as it should be in the folder. */
export interface DesiredManifest {
  readonly identity: ManifestIdentity
  readonly object: JsonMap
  readonly isSecret: boolean
  /** Default path, relative to the target's folder. */
  readonly path: string
  readonly operations: ReadonlySet<Operation>
  /** Fields that `object` does not have because they are ignored. */
  readonly ignoredFields: readonly FieldPath[]
  readonly includesStatus: boolean
}

/** All objects that the rules select, by identity. */
export function desiredState(watched: readonly WatchedType[]): Map<string, DesiredManifest> {
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

/** The current desired manifest of an object; undefined if no rule selects it. */
export function desiredNow(
  watched: readonly WatchedType[],
  identity: ManifestIdentity,
): DesiredManifest | undefined {
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

/** Whether a rule selects the object now. Cheaper than `desiredNow`. */
export function isDesiredNow(
  watched: readonly WatchedType[],
  { group, kind, namespace, name }: ManifestIdentity,
): boolean {
  for (const { type, stream, selections } of watched) {
    if (type.group !== group || type.kind !== kind) continue
    const object = stream.get(namespace === '' ? { name } : { namespace, name })
    if (object === undefined || isTerminating(object)) continue
    if (selections.some(({ selects }) => selects(object))) return true
  }
  return false
}

/** Whether a rule mirrors the deletion of the object. */
export function wantsDeletion(
  watched: readonly WatchedType[],
  identity: ManifestIdentity,
): boolean {
  return covering(watched, identity).some(({ operations }) => operations.has('DELETE'))
}

/** Whether a rule applies to the namespace and type of the object. */
export function isCovered(watched: readonly WatchedType[], identity: ManifestIdentity): boolean {
  return covering(watched, identity).length > 0
}

/** Whether all streams that could contain the object are live, so that its absence means that it was deleted. */
export function isConfirmedDeleted(
  watched: readonly WatchedType[],
  identity: ManifestIdentity,
): boolean {
  return covering(watched, identity).every(({ isLive }) => isLive)
}

function covering(watched: readonly WatchedType[], identity: ManifestIdentity) {
  return watched
    .filter(({ type }) => isOfType(identity, type))
    .flatMap(({ stream, selections }) =>
      selections
        .filter(({ covers }) => covers(identity.namespace))
        .map(({ operations }) => ({ operations, isLive: stream.state.kind === 'live' })),
    )
}

export function pathOf(
  identity: ManifestIdentity,
  { resource }: ResourceType,
  template: PathTemplate | undefined,
): string {
  const place = { ...identity, resource }
  return template === undefined ? manifestPath(place) : template.pathOf(place)
}

function isOfType({ group, kind }: ManifestIdentity, type: ResourceType): boolean {
  return type.group === group && type.kind === kind
}

function desiredManifest(
  object: KubeObject,
  { type, selections }: WatchedType,
): DesiredManifest | undefined {
  if (isTerminating(object)) return undefined
  const choosing = selections.filter(({ selects }) => selects(object))
  const [first, ...others] = choosing
  if (first === undefined) return undefined
  const identity = identityOf(object)
  const { ignored } = first
  const includesStatus = choosing.some((each) => each.includesStatus)
  const operations = others.reduce((all, each) => all.union(each.operations), first.operations)
  return {
    identity,
    // Computed on demand: a comparison holds all manifests at once, but needs each object only briefly.
    get object() {
      return manifestOf(object, { ignored, includesStatus })
    },
    isSecret: isSecret(type),
    path: pathOf(identity, type, first.template),
    // An ignored write neither creates nor changes a file.
    operations: ignored?.isWriteIgnored(object, includesStatus)
      ? operations.intersection(onlyDelete)
      : operations,
    ignoredFields: ignored?.fields ?? [],
    includesStatus,
  }
}

const onlyDelete: ReadonlySet<Operation> = new Set(['DELETE'] as const)

/** An object that is being deleted counts as deleted, so that a restart does not recreate its file. */
function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

function merged(a: DesiredManifest, b: DesiredManifest): DesiredManifest {
  return {
    ...(b.includesStatus ? b : a),
    operations: a.operations.union(b.operations),
  }
}
