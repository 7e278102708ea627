import type { KubeObject } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import { exactField, matchesFields } from '../selector/field-selector.ts'
import { matchesLabels } from '../selector/label-selector.ts'
import type { Status } from '../status/api-error.ts'
import { ApiError, tooOldResourceVersion } from '../status/api-error.ts'
import type { Entry, Store, StoreEvent, Watch } from '../store/store.ts'
import { TooOldError } from '../store/store-error.ts'
import { listPrefix, objectKey } from './environment.ts'
import { listObjects } from './list.ts'
import type { ListOptions } from './list-options.ts'
import { createPacer } from './pacer.ts'
import { parseResourceVersion, waitUntilFresh } from './resource-version.ts'
import { responseEntry, toResponseObject } from './response-object.ts'
import { watchConverted } from './watch-converted.ts'
import type { ServedWatch, WatchEvent } from './watch-event.ts'

/** The consumer of a watch. Existing objects are sent only as fast as they are read, since there may be many. */
interface WatchReader {
  isClosed(): boolean
  /** Returns a promise only if the caller has to wait. */
  caughtUp(): Promise<void> | undefined
}

/**
 * Sends events in the order of the store until the returned watch is closed, or the reader is during the initial
 * events. An ERROR event is the last one. With a selector, objects that start or stop matching are sent as ADDED and
 * DELETED.
 */
export async function watchObjects(
  store: Store,
  resource: Resource,
  namespace: string,
  options: ListOptions,
  send: (event: WatchEvent) => void,
  reader: WatchReader,
): Promise<ServedWatch> {
  let from = parseResourceVersion(options.resourceVersion) ?? 0
  if (options.sendInitialEvents === true) {
    try {
      // The watch must not end before the error is sent.
      const lifeMs = (options.timeoutSeconds ?? 0) * 1000
      await waitUntilFresh(store, from, lifeMs > 0 ? lifeMs * 0.9 : undefined)
      from = await sendPresent(store, resource, namespace, options, send, reader)
    } catch (error) {
      // The headers have been sent, so this error too is sent as an event.
      if (!(error instanceof ApiError)) throw error
      return sendLast(send, error.status())
    }
  } else if (from === 0) {
    from = store.revision
  }
  const selective = options.labels.length > 0 || options.fields.length > 0
  try {
    const translate = (event: StoreEvent): void => {
      const translated = selective
        ? selected(event, resource, options)
        : { type: event.type, payload: responseEntry(resource, event.entry) }
      if (translated !== undefined) send(translated)
    }
    const prefix = watchPrefix(resource, namespace, options)
    return resource.convertAll === undefined
      ? store.watch(prefix, from, translate)
      : watchConverted(store, prefix, from, resource.convertAll, translate, send)
  } catch (error) {
    if (!(error instanceof TooOldError)) throw error
    return sendLast(send, tooOldResourceVersion(from, store.oldestRevision).status())
  }
}

function sendLast(send: (event: WatchEvent) => void, status: Status): Watch {
  send({ type: 'ERROR', status })
  return { close: () => undefined }
}

/** Sends the existing objects as ADDED events and returns their revision. */
async function sendPresent(
  store: Store,
  resource: Resource,
  namespace: string,
  options: ListOptions,
  send: (event: WatchEvent) => void,
  reader: WatchReader,
): Promise<number> {
  const page = await listObjects(store, resource, namespace, {
    ...options,
    resourceVersion: '',
    resourceVersionMatch: '',
    limit: 0,
    continueToken: '',
  })
  const pace = createPacer()
  for (const payload of page.entries) {
    send({ type: 'ADDED', payload })
    if (pace.isDue(payload.json.length)) await pace.rest()
    await reader.caughtUp()
    if (reader.isClosed()) return page.revision
  }
  if (options.allowWatchBookmarks) {
    send({ type: 'BOOKMARK', revision: page.revision, initialEventsEnd: true })
  }
  return page.revision
}

function watchPrefix(resource: Resource, namespace: string, options: ListOptions): string {
  const name = exactField(options.fields, 'metadata.name')
  const isOne =
    name !== undefined &&
    name !== '' &&
    !name.includes('/') &&
    (!resource.namespaced || namespace !== '')
  return isOne ? objectKey(resource, namespace, name) : listPrefix(resource, namespace)
}

function selected(
  event: StoreEvent,
  resource: Resource,
  options: ListOptions,
): WatchEvent | undefined {
  const matches = (entry: Entry): boolean => {
    const { value } = responseEntry(resource, entry)
    return (
      matchesLabels(options.labels, value.metadata.labels) &&
      matchesFields(options.fields, value, resource)
    )
  }
  const before = event.previous !== undefined && matches(event.previous)
  if (event.type === 'DELETED') {
    return before ? { type: 'DELETED', payload: responseEntry(resource, event.entry) } : undefined
  }
  const after = matches(event.entry)
  if (after) {
    return { type: before ? 'MODIFIED' : 'ADDED', payload: responseEntry(resource, event.entry) }
  }
  if (!before || event.previous === undefined) return undefined
  const last = responseEntry(resource, event.previous).value
  return { type: 'DELETED', payload: toResponseObject(atRevision(last, event.revision)) }
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}
