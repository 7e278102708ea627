import { formatApiVersion, type KubeObject, parseApiVersion, stringifyJson } from '@agents/kube'
import { copyJson } from '../../json/json-value.ts'
import type { Resource } from '../../registry/resource.ts'
import { ConversionPending } from '../../rest/conversion-pending.ts'
import type { Entry } from '../../store/store.ts'
import type { CustomKind } from '../custom-strategy.ts'
import { type StorageSchemas, storageView } from '../storage-view.ts'

/** Converts objects of the kind to an apiVersion, in order. */
export type Convert = (objects: readonly KubeObject[], apiVersion: string) => Promise<KubeObject[]>

/** Conversions of entries that are not in memory any more are kept for some time. */
const recentLimit = 1_000

/**
 * Like `storageView`, for versions that a webhook converts. What has not been converted yet throws `ConversionPending`.
 */
export function webhookView(
  custom: CustomKind,
  storage: StorageSchemas,
  schemaRevision: number,
  convert: Convert,
): Pick<Resource, 'fromStorage' | 'toStorage' | 'convertAll'> {
  const apiVersion = formatApiVersion(custom)
  const storedApiVersion = formatApiVersion({ group: custom.group, version: storage.version })
  const schema = storage.all.get(custom.version)
  const plain = storageView(custom, storage, schemaRevision)
  const views = new WeakMap<Entry, Entry>()
  const recent = new Map<string, Entry>()
  const stored = new WeakMap<KubeObject, KubeObject>()

  const known = (entry: Entry): Entry | undefined =>
    entry.value.apiVersion === apiVersion
      ? plain.fromStorage?.(entry)
      : (views.get(entry) ?? recent.get(idOf(entry)))
  /** The stored object with the defaults that its version has got since it was written. */
  const current = ({ value, revision }: Entry): KubeObject => {
    if (revision > schemaRevision) return value
    const copy = copyJson(value)
    storage.all.get(parseApiVersion(value.apiVersion).version)?.setDefaults(copy)
    return copy
  }
  const convertAll = async (entries: readonly Entry[]): Promise<void> => {
    const missing = entries.filter((entry) => known(entry) === undefined)
    if (missing.length === 0) return
    const values = await convert(missing.map(current), apiVersion)
    for (const [index, entry] of missing.entries()) {
      const value = values[index]
      if (value === undefined) continue
      // Like upstream, defaults of this version are set on writes only.
      schema?.prune(value)
      const view = viewOf(entry, value)
      views.set(entry, view)
      recent.set(idOf(entry), view)
    }
    for (const id of recent.keys()) {
      if (recent.size <= recentLimit) break
      recent.delete(id)
    }
  }
  const fromStorage = (entry: Entry): Entry => {
    const view = known(entry)
    if (view !== undefined) return view
    throw new ConversionPending(nameOf(entry.value), () => convertAll([entry]))
  }
  if (apiVersion === storedApiVersion) return { fromStorage, convertAll }
  const toStorage = (object: KubeObject): KubeObject => {
    const found = stored.get(object)
    if (found !== undefined) return found
    throw new ConversionPending(nameOf(object), async () => {
      const [converted] = await convert([object], storedApiVersion)
      if (converted === undefined) throw new Error('the webhook returned no object')
      storage.schema.prune(converted)
      storage.schema.setDefaults(converted)
      stored.set(object, converted)
    })
  }
  return { fromStorage, toStorage, convertAll }
}

function idOf({ key, revision }: Entry): string {
  return `${revision} ${key}`
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${JSON.stringify(metadata.name)}`
}

function viewOf({ key, revision }: Entry, value: KubeObject): Entry {
  return { key, revision, value, json: Buffer.from(stringifyJson(value)) }
}
