import {
  formatApiVersion,
  type KubeObject,
  parseApiVersion,
  sameJson,
  stringifyJson,
} from '@agents/kube'
import { copyJson } from '../../json/json-value.ts'
import type { Entry } from '../../store/store.ts'
import type { Resource } from '../resource.ts'
import type { CustomKind } from './custom-strategy.ts'
import type { CustomSchema } from './definition-rules.ts'

export interface StorageSchemas {
  /** The version that objects are written in now. */
  readonly version: string
  readonly schema: CustomSchema
  /** All versions of the definition by name, as older objects may be stored in any. */
  readonly all: ReadonlyMap<string, CustomSchema>
}

/**
 * How stored objects look in one version. They are stored in the storage version of their time and in the form of its
 * schema, which may have changed since: reading drops what it no longer knows and fills in its new defaults. Between
 * versions only the apiVersion differs, so what the storage version does not know is lost in all of them.
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
  // The cached bytes are worth keeping whenever they say the same.
  if (sameJson(value, stored)) return entry
  return {
    key: entry.key,
    revision: entry.revision,
    value,
    json: Buffer.from(stringifyJson(value)),
  }
}
