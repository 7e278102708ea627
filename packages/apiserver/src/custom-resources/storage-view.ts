import {
  formatApiVersion,
  type KubeObject,
  parseApiVersion,
  sameJson,
  stringifyJson,
} from '@agents/kube'
import { copyJson } from '../json/json-value.ts'
import type { Resource } from '../registry/resource.ts'
import type { Entry } from '../store/store.ts'
import type { CustomKind } from './custom-strategy.ts'
import type { CustomSchema } from './definition-rules.ts'

export interface StorageSchemas {
  /** The current storage version. */
  readonly version: string
  readonly schema: CustomSchema
  /** All versions of the definition by name. Older objects may be stored in any of them. */
  readonly all: ReadonlyMap<string, CustomSchema>
}

/**
 * Converts stored objects to one version. An object was stored in the storage version at that time and pruned by its
 * schema, which may have changed since: reading prunes it again and sets new defaults. Versions differ only in
 * apiVersion, so a field that is unknown in the storage version is lost in all versions.
 */
export function storageView(
  custom: CustomKind,
  storage: StorageSchemas,
  schemaRevision: number,
): Pick<Resource, 'fromStorage' | 'toStorage'> {
  const apiVersion = formatApiVersion(custom)
  const storedApiVersion = formatApiVersion({ group: custom.group, version: storage.version })
  const isStorage = apiVersion === storedApiVersion
  const views = new WeakMap<Entry, Entry>()

  const fromStorage = (entry: Entry): Entry => {
    const isCurrent = entry.revision > schemaRevision
    if (isStorage && isCurrent) return entry
    let view = views.get(entry)
    if (view === undefined) {
      view = viewOf(entry, apiVersion, isCurrent ? undefined : storage.all)
      views.set(entry, view)
    }
    return view
  }
  if (isStorage) return { fromStorage }
  const toStorage = (object: KubeObject): KubeObject => {
    const stored = { ...copyJson(object), apiVersion: storedApiVersion }
    storage.schema.prune(stored)
    storage.schema.setDefaults(stored)
    return stored
  }
  return { fromStorage, toStorage }
}

function viewOf(
  entry: Entry,
  apiVersion: string,
  schemas: ReadonlyMap<string, CustomSchema> | undefined,
): Entry {
  const stored = entry.value
  const schema = schemas?.get(parseApiVersion(stored.apiVersion).version)
  const value: KubeObject = { ...copyJson(stored), apiVersion }
  schema?.prune(value)
  schema?.setDefaults(value)
  // Keeps the cached bytes if nothing differs.
  if (sameJson(value, stored)) return entry
  return {
    key: entry.key,
    revision: entry.revision,
    value,
    json: Buffer.from(stringifyJson(value)),
  }
}
