import { decryptDocument, SopsError } from '@agents/git'
import type { GitTarget } from '@agents/gittarget-api'
import {
  isConflict,
  isNotFound,
  isUnauthorized,
  isUnreachable,
  type KubeClient,
  KubeError,
  type KubeObject,
  sameJson,
} from '@agents/kube'
import { readDocument } from '../document/edit-manifest.ts'
import { identityKey, type ManifestIdentity } from '../document/identity.ts'
import { withoutFields } from '../document/ignored-fields.ts'
import { isMap, type JsonMap, without } from '../document/json.ts'
import { sanitize } from '../document/sanitize.ts'
import { writeManifest } from '../document/write-manifest.ts'
import { ignoredOf } from '../mirror/selection/ignored.ts'
import { isSecret, kindRefOf } from '../mirror/selection/resource-type.ts'
import { hideValues, withoutValues } from './hidden-values.ts'
import { keptFields } from './kept-fields.ts'
import { placeOf } from './place-of.ts'
import type { StoredObject } from './read-stored-objects.ts'
import { inRestoreOrder } from './restore-order.ts'
import { isDefinition, kindOf, type RestoredKind } from './restored-kinds.ts'

export interface PlanOptions {
  /** Acts with the rights of the caller. */
  readonly client: KubeClient
  readonly target: GitTarget
  readonly kinds: readonly RestoredKind[]
  /** The age keys of the caller. */
  readonly identities: readonly string[]
  /** Takes over fields of other managers instead of reporting a conflict. */
  readonly forceConflicts: boolean
  readonly signal: AbortSignal
}

/** What a restore does to one object, or why it cannot. */
export interface PlannedObject {
  readonly identity: ManifestIdentity
  readonly path: string
  /** Whether the manifest has no namespace because its place implies it. */
  readonly isImplied: boolean
  readonly action: 'create' | 'change' | 'none' | 'impossible'
  /** Why it is impossible. */
  readonly reason: string | undefined
  /** Whether other managers own fields that would change. */
  readonly isConflict: boolean
  /** As YAML without the values of Secrets; undefined if the object does not exist. */
  readonly before: string | undefined
  readonly after: string | undefined
  /** Fields of the existing object that Git does not have, and that stay. */
  readonly kept: readonly string[]
  /** What is applied. Contains the values of Secrets: not for output. */
  readonly applied: { readonly kind: RestoredKind; readonly object: JsonMap } | undefined
}

/** The name under which the fields of restored objects are owned. */
const restoreManager = 'agentctl-restore'

/** Requests at the same time. */
const parallel = 8

/**
 * Checks with the server what restoring these objects would do, in the order in which they are applied. Nothing is
 * written. Throws only if the server cannot be used at all.
 */
export async function planRestore(
  stored: readonly StoredObject[],
  options: PlanOptions,
): Promise<PlannedObject[]> {
  const isFirst = ({ identity }: StoredObject): boolean =>
    isDefinition(identity) || isNamespace(identity)
  const first = await planAll(stored.filter(isFirst), options, new Set())
  const created = first.filter(({ action }) => action === 'create')
  const namespaces = created.filter(({ identity }) => isNamespace(identity))
  const missing = new Set(namespaces.map(({ identity }) => identity.name))
  const others = stored.filter((each) => !isFirst(each))
  return inRestoreOrder(once([...first, ...(await planAll(others, options, missing))]))
}

/** A manifest that names its namespace comes before one whose place implies it. */
function once(planned: readonly PlannedObject[]): PlannedObject[] {
  const found = new Map<string, PlannedObject>()
  for (const each of planned.toSorted((a, b) => Number(a.isImplied) - Number(b.isImplied))) {
    const place = each.applied === undefined ? `\0${each.path}` : ''
    const key = `${identityKey(each.identity)}${place}`
    if (!found.has(key)) found.set(key, each)
  }
  return [...found.values()]
}

function isNamespace({ group, kind }: ManifestIdentity): boolean {
  return group === '' && kind === 'Namespace'
}

async function planAll(
  stored: readonly StoredObject[],
  options: PlanOptions,
  missing: ReadonlySet<string>,
): Promise<PlannedObject[]> {
  const planned: PlannedObject[] = []
  for (let at = 0; at < stored.length; at += parallel) {
    const some = stored.slice(at, at + parallel)
    planned.push(...(await Promise.all(some.map((each) => planOne(each, options, missing)))))
  }
  return planned
}

async function planOne(
  stored: StoredObject,
  options: PlanOptions,
  missing: ReadonlySet<string>,
): Promise<PlannedObject> {
  const { target, kinds, identities } = options
  const kind = kindOf(stored, kinds)
  if (kind === undefined) {
    const { apiVersion } = stored.value
    const what = `${String(apiVersion)} ${stored.identity.kind}`
    return impossible(stored, `the cluster does not serve ${what}`)
  }
  const place = placeOf(stored, kind, target)
  if ('reason' in place) return impossible(stored, place.reason)
  const identity = { ...stored.identity, namespace: place.namespace }
  const placed = { ...stored, identity }
  const content = await contentOf(stored, identities)
  if ('reason' in content) return impossible(placed, content.reason)
  const object = manifestOf(content.value, place.namespace)
  if (!kind.isServed || missing.has(place.namespace)) {
    const [, after] = shown(kind, undefined, object)
    return { ...planned(placed), action: 'create', after, applied: { kind, object } }
  }
  try {
    return await compared(placed, kind, object, options)
  } catch (error) {
    return impossible(placed, reasonOf(error, object, options.signal))
  }
}

async function contentOf(
  { value, encrypted }: StoredObject,
  identities: readonly string[],
): Promise<{ readonly value: JsonMap } | { readonly reason: string }> {
  if (encrypted === undefined) return { value }
  if (identities.length === 0) return { reason: 'it is encrypted, and no age key was given' }
  try {
    const plain = readDocument(await decryptDocument(encrypted, identities))
    return plain === undefined ? { reason: 'cannot be read unambiguously' } : { value: plain }
  } catch (error) {
    if (error instanceof SopsError) return { reason: `it cannot be decrypted: ${error.message}` }
    throw error
  }
}

/** Without what the server sets: it would refuse it, or the object would belong to owners of another cluster. */
function manifestOf(value: JsonMap, namespace: string): JsonMap {
  const object = sanitize(value as unknown as KubeObject)
  const metadata = isMap(object.metadata) ? object.metadata : {}
  const place = namespace === '' ? {} : { namespace }
  return { ...object, metadata: { ...without(metadata, ['namespace']), ...place } }
}

async function compared(
  stored: StoredObject,
  kind: RestoredKind,
  whole: JsonMap,
  options: PlanOptions,
): Promise<PlannedObject> {
  const { client, target, signal } = options
  const ref = kindRefOf(kind)
  const { namespace, name } = stored.identity
  const key = { name, ...(namespace !== '' && { namespace }) }
  const found = await client.get(ref, key, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  if (found?.metadata.deletionTimestamp !== undefined) {
    return impossible(stored, 'it is being deleted; restore it again when that is done')
  }
  // What the target ignores in an existing object is not for Git to decide.
  const ignored = found && ignoredOf(target.spec.ignore)(kind)
  const object = ignored === undefined ? whole : withoutFields(whole, ignored.fields)
  const applied = { kind, object }
  let conflict: string | undefined
  const dryRun = (force: boolean): Promise<KubeObject> =>
    client.apply(ref, object as never, { ...applyOptions(force, signal), dryRun: true })
  const result = await dryRun(options.forceConflicts).catch((error: unknown) => {
    if (!isConflict(error) || options.forceConflicts) throw error
    conflict = reasonOf(error, object, signal)
    return dryRun(true)
  })
  const [old, next] = [found && sanitize(found), sanitize(result)]
  const [before, after] = shown(kind, old, next)
  const kept = old === undefined ? [] : keptFields(whole, next)
  const details = { ...planned(stored), before, after, kept, applied }
  if (conflict !== undefined) {
    return { ...details, action: 'impossible', isConflict: true, reason: conflict }
  }
  if (old === undefined) return { ...details, action: 'create' }
  return { ...details, action: sameJson(old, next) ? 'none' : 'change' }
}

export function applyOptions(force: boolean, signal: AbortSignal) {
  return { force, signal, fieldManager: restoreManager, fieldValidation: 'Strict' } as const
}

/** As text for output. */
function shown(
  kind: RestoredKind,
  before: JsonMap | undefined,
  after: JsonMap | undefined,
): (string | undefined)[] {
  const states = isSecret(kind) ? hideValues(before, after) : [before, after]
  return states.map((state) => state && writeManifest(state))
}

/** The answer of the server. Throws if it cannot be used at all. */
export function reasonOf(error: unknown, object: JsonMap, signal: AbortSignal): string {
  if (!(error instanceof Error) || signal.aborted) throw error
  const isAnswer = error instanceof KubeError && !isUnreachable(error) && !isUnauthorized(error)
  // A name that cannot be part of a URL is refused by the client.
  if (!isAnswer && !(error instanceof TypeError)) throw error
  return withoutValues(error.message.replace(/^[A-Z]+ \/\S*: /, ''), object)
}

function planned({ identity, path, impliedNamespaces }: StoredObject) {
  return {
    ...{ identity, path, isImplied: impliedNamespaces.length > 0, isConflict: false, kept: [] },
    ...{ reason: undefined, before: undefined, after: undefined, applied: undefined },
  }
}

function impossible(stored: StoredObject, reason: string): PlannedObject {
  return { ...planned(stored), action: 'impossible', reason }
}
