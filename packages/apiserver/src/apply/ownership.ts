import type { Json } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { changed, compare } from './compare.ts'
import type { Conflicts } from './conflict.ts'
import { difference, type FieldSet, intersection, recursiveDifference, union } from './field-set.ts'
import { fieldSetOf } from './field-set-of.ts'
import type { FieldType } from './field-type.ts'
import type { KnownFieldSets } from './known-field-sets.ts'
import type { Managed, ManagerId, Managers } from './managers.ts'
import { merge } from './merge.ts'
import { withNamedFields } from './named-fields.ts'
import { removeFields } from './remove-fields.ts'

/** Converts an object to the API versions of its managers. */
export interface Versions {
  /** The version of the request and of the objects. */
  readonly apiVersion: string
  /** Undefined if the version is no longer served. */
  typeIn(apiVersion: string): FieldType | undefined
  convert(object: Json, apiVersion: string): Json
}

export interface OwnershipChange {
  readonly versions: Versions
  readonly sets: KnownFieldSets
  /** Fields that this write never changes, and whose ownership it does not affect. */
  readonly ignored: FieldSet
  readonly live: Json
  /** Must not be mutated. */
  readonly managers: Managers
}

type ApplyOutcome =
  | { readonly conflicts: Conflicts }
  /** Undefined if the object does not change. */
  | { readonly conflicts?: never; readonly object: Json | undefined; readonly managers: Managers }

/**
 * Computes ownership after an update from `live` to `next`: its manager owns the changed `fields`, all others lose
 * them.
 */
export function updateOwnership(change: OwnershipChange & { readonly next: Json }): {
  readonly managers: Managers
  readonly fields: FieldSet
} {
  const managers = reconciled(change)
  const { written, effects } = effectsOf(change, managers, change.next, undefined)
  take(managers, effects)
  // The manager's own set does not get ignored fields either.
  return { managers, fields: recursiveDifference(written, change.ignored) }
}

export function applyOwnership(
  change: OwnershipChange & {
    readonly applied: Json
    readonly applier: Omit<Managed, 'fields' | 'time'>
    readonly id: ManagerId
    readonly force: boolean
  },
): ApplyOutcome {
  const { versions, live, applied, id } = change
  const managers = reconciled(change)
  const type = typeIn(versions, versions.apiVersion)
  const merged = merge(type, live, applied)
  const last = managers.get(id)
  const fields = recursiveDifference(fieldSetOf(type, applied), change.ignored)
  managers.set(id, { ...change.applier, time: last?.time, fields })
  // Nothing is pruned if everything that was applied before is still applied.
  const dropsNothing =
    last?.apiVersion === versions.apiVersion && difference(last.fields, fields).size === 0
  const next = dropsNothing ? merged : prune(versions, merged, managers, last)
  const { effects } = effectsOf(change, managers, next, id)
  if (!change.force) {
    const conflicts = conflictsOf(effects, managers)
    if (conflicts.size > 0) return { conflicts }
  }
  take(managers, effects)
  return { object: sameJson(live, next) ? undefined : next, managers }
}

/** Removes the changed fields from all other managers. */
interface Effect {
  readonly changed: FieldSet
  readonly removed: FieldSet
}

function reconciled({ versions, sets, managers }: OwnershipChange): Managers {
  const out: Managers = new Map()
  for (const [id, managed] of managers) {
    const type = versions.typeIn(managed.apiVersion)
    // Managers of a version that is no longer served are dropped.
    if (type === undefined) continue
    const fields = sets.reconcile(managed.fields, type)
    out.set(id, fields === managed.fields ? managed : { ...managed, fields })
  }
  return out
}

interface Difference {
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/** `written`: the fields that the write changed, in its own version. */
function effectsOf(
  { versions, ignored, live }: OwnershipChange,
  managers: Managers,
  next: Json,
  except: ManagerId | undefined,
): { written: FieldSet; effects: Map<ManagerId, Effect> } {
  const differences = new Map<string, Difference>()
  const inVersion = (apiVersion: string): Difference => {
    const known = differences.get(apiVersion)
    if (known !== undefined) return known
    const before = versions.convert(live, apiVersion)
    const after = versions.convert(next, apiVersion)
    const type = typeIn(versions, apiVersion)
    const comparison = compare(type, before, after, ignored)
    const difference = { changed: changed(comparison), removed: comparison.removed }
    differences.set(apiVersion, difference)
    return difference
  }
  const written = inVersion(versions.apiVersion).changed
  const effects = new Map<ManagerId, Effect>()
  for (const [id, managed] of managers) {
    if (id === except) continue
    const seen = inVersion(managed.apiVersion)
    effects.set(id, {
      changed: intersection(managed.fields, seen.changed),
      removed: seen.removed,
    })
  }
  return { written, effects }
}

function conflictsOf(effects: ReadonlyMap<ManagerId, Effect>, managers: Managers): Conflicts {
  const conflicts = new Map<ManagerId, { owner: Managed; fields: FieldSet }>()
  for (const [id, effect] of effects) {
    const owner = managers.get(id)
    if (owner !== undefined && effect.changed.size > 0) {
      conflicts.set(id, { owner, fields: effect.changed })
    }
  }
  return conflicts
}

function take(managers: Managers, effects: ReadonlyMap<ManagerId, Effect>): void {
  for (const [id, effect] of effects) {
    const managed = managers.get(id)
    if (managed === undefined) continue
    const fields = difference(difference(managed.fields, effect.changed), effect.removed)
    if (fields !== managed.fields) managers.set(id, { ...managed, fields })
  }
  for (const [id, { fields }] of managers) if (fields.size === 0) managers.delete(id)
}

/** Removes from `merged` the fields that the applier no longer applies and no other manager owns. */
function prune(
  versions: Versions,
  merged: Json,
  managers: Managers,
  last: Managed | undefined,
): Json {
  if (last === undefined || last.fields.size === 0) return merged
  const type = versions.typeIn(last.apiVersion)
  if (type === undefined) return merged
  const before = versions.convert(merged, last.apiVersion)
  const lastFields = withNamedFields(last.fields, type)
  const bare = removeFields(type, before, lastFields)
  const kept = addBackOwned(versions, before, bare, last.apiVersion, managers)
  const all = withNamedFields(fieldSetOf(type, before), type)
  const remaining = withNamedFields(fieldSetOf(type, kept), type)
  // Only fields that the applier itself owned may be removed.
  const gone = intersection(difference(all, remaining), lastFields)
  return versions.convert(removeFields(type, before, gone), versions.apiVersion)
}

function addBackOwned(
  versions: Versions,
  merged: Json,
  bare: Json,
  apiVersion: string,
  managers: Managers,
): Json {
  const owned = new Map<string, FieldSet>()
  for (const managed of managers.values()) {
    const known = owned.get(managed.apiVersion)
    owned.set(
      managed.apiVersion,
      known === undefined ? managed.fields : union(known, managed.fields),
    )
  }
  // The pruned version comes first, since required fields could be missing in others.
  const order = [apiVersion, ...[...owned.keys()].filter((each) => each !== apiVersion)]
  let kept = bare
  for (const each of order) {
    const fields = owned.get(each)
    const type = versions.typeIn(each)
    if (fields === undefined || type === undefined) continue
    const whole = versions.convert(merged, each)
    const rest = versions.convert(kept, each)
    const keep = union(withNamedFields(fieldSetOf(type, rest), type), withNamedFields(fields, type))
    const gone = difference(withNamedFields(fieldSetOf(type, whole), type), keep)
    kept = removeFields(type, whole, gone)
  }
  return versions.convert(kept, apiVersion)
}

function typeIn(versions: Versions, apiVersion: string): FieldType {
  const type = versions.typeIn(apiVersion)
  if (type === undefined) throw new Error(`no type for ${apiVersion}`)
  return type
}
