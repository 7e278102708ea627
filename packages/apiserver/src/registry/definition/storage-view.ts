import type { KubeObject } from '@agents/kube'
import { formatApiVersion } from '@agents/kube'
import { stringifyJson } from '../../json/stringify-json.ts'
import { copyJson, equalJson } from '../../rest/json-value.ts'
import type { Entry } from '../../store/store.ts'
import type { Resource } from '../resource.ts'
import type { CustomKind } from './custom-strategy.ts'
import type { CustomSchema } from './definition-rules.ts'

/**
 * How stored objects look in one version. Objects are stored in the storage version as they were written; the schema may
 * have changed since, so reading drops what is no longer known and fills in new defaults.
 */
export function storageView(
  custom: CustomKind,
  schema: CustomSchema,
  storageVersion: string,
  schemaRevision: number,
): Pick<Resource, 'fromStorage' | 'toStorage'> {
  const apiVersion = formatApiVersion(custom)
  const storedApiVersion = formatApiVersion({ group: custom.group, version: storageVersion })
  const isStorage = apiVersion === storedApiVersion
  const views = new WeakMap<Entry, Entry>()

  const fromStorage = (entry: Entry): Entry => {
    if (isStorage && entry.revision > schemaRevision) return entry
    let view = views.get(entry)
    if (view === undefined) {
      view = viewOf(entry, apiVersion, schema)
      views.set(entry, view)
    }
    return view
  }
  if (isStorage) return { fromStorage }
  return { fromStorage, toStorage: (object) => ({ ...object, apiVersion: storedApiVersion }) }
}

function viewOf(entry: Entry, apiVersion: string, schema: CustomSchema): Entry {
  const stored = entry.value
  const value: KubeObject = { ...copyJson(stored), apiVersion }
  schema.prune(value)
  schema.setDefaults(value)
  // The cached bytes are worth keeping whenever they say the same.
  if (equalJson(value, stored)) return entry
  return {
    key: entry.key,
    revision: entry.revision,
    value,
    json: Buffer.from(stringifyJson(value)),
  }
}
