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

/** Reads an object in the versions of the API that its owners used. */
export interface Versions {
  /** The version of the request, which the objects are in. */
  readonly apiVersion: string
  /** Undefined when the version is not served any more. */
  typeIn(apiVersion: string): FieldType | undefined
  convert(object: Json, apiVersion: string): Json
}

export interface OwnershipChange {
  readonly versions: Versions
  readonly sets: KnownFieldSets
  /** Never changed by this write, whatever the request says; owned by nobody through it. */
  readonly ignored: FieldSet
  readonly live: Json
  /** Not modified. */
  readonly managers: Managers
}

export type ApplyOutcome =
  | { readonly conflicts: Conflicts }
  /** `object` undefined: nothing about the object changes. */
  | { readonly conflicts?: never; readonly object: Json | undefined; readonly managers: Managers }

/** The write made `next` out of `live`: who changed a field owns it, all others lose it. `fields` is what it changed. */
export function updateOwnership(change: OwnershipChange & { readonly next: Json }): {
  readonly managers: Managers
  readonly fields: FieldSet
} {
  const managers = reconciled(change)
  const { written, effects } = effectsOf(change, managers, change.next, undefined)
  take(managers, effects)
  // Compared to the ignored fields once more: a manager's own set is filtered, too.
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
  // What is still applied need not be looked at: whoever drops nothing prunes nothing.
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

/** What others lose. */
interface Effect {
  readonly changed: FieldSet
  readonly removed: FieldSet
}

function reconciled({ versions, sets, managers }: OwnershipChange): Managers {
  const out: Managers = new Map()
  for (const [id, managed] of managers) {
    const type = versions.typeIn(managed.apiVersion)
    // Owners in a version that is gone are forgotten.
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

/** `written`: what the write changed, in its own version. */
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

/** Takes out of `merged` what the applier had applied before, does not any more, and nobody else owns. */
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
  // Of what was lost, only what the applier itself had owned may go.
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
  // The version that was pruned comes first: in another one required fields could be missing.
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
