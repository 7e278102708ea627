import type { KubeObject } from '@agents/kube'
import type { Status } from '../endpoints/api-error.ts'
import { ApiError, tooOldResourceVersion } from '../endpoints/api-error.ts'
import type { Resource } from '../registry/resource.ts'
import type { Entry, Store, StoreEvent, Watch } from '../store/store.ts'
import { TooOldError } from '../store/store-error.ts'
import { listPrefix, objectKey } from './environment.ts'
import { exactField, matchesFields } from './field-selector.ts'
import { matchesLabels } from './label-selector.ts'
import { listObjects } from './list.ts'
import type { ListOptions } from './list-options.ts'
import { createPacer } from './pacer.ts'
import { parseResourceVersion, waitUntilFresh } from './resource-version.ts'
import { type Shown, shownEntry, shownValue } from './shown.ts'

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly shown: Shown }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status }

/** Whoever is sent a state that is there already: it may be large, so it goes no faster than it is read. */
export interface WatchReader {
  isClosed(): boolean
  /** A promise only where something is to be waited for. */
  caughtUp(): Promise<void> | undefined
}

/**
 * Sends events until the returned watch is closed, or the reader is during the initial ones. An ERROR event is the last.
 * The order is the store's; a selector turns changes into ADDED and DELETED as objects enter and leave the selection.
 */
export async function watchObjects(
  store: Store,
  resource: Resource,
  namespace: string,
  options: ListOptions,
  send: (event: WatchEvent) => void,
  reader: WatchReader,
): Promise<Watch> {
  let from = parseResourceVersion(options.resourceVersion) ?? 0
  if (options.sendInitialEvents === true) {
    try {
      // The watch must not end before the refusal is sent.
      const lifeMs = (options.timeoutSeconds ?? 0) * 1000
      await waitUntilFresh(store, from, lifeMs > 0 ? lifeMs * 0.9 : undefined)
    } catch (error) {
      // Headers are out by now, so this refusal too comes as an event.
      if (!(error instanceof ApiError)) throw error
      return sendLast(send, error.status())
    }
    from = await sendPresent(store, resource, namespace, options, send, reader)
  } else if (from === 0) {
    from = store.revision
  }
  const selective = options.labels.length > 0 || options.fields.length > 0
  try {
    return store.watch(watchPrefix(resource, namespace, options), from, (event) => {
      const translated = selective
        ? selected(event, resource, options)
        : { type: event.type, shown: shownEntry(resource, event.entry) }
      if (translated !== undefined) send(translated)
    })
  } catch (error) {
    if (!(error instanceof TooOldError)) throw error
    return sendLast(send, tooOldResourceVersion(from, store.oldestRevision).status())
  }
}

function sendLast(send: (event: WatchEvent) => void, status: Status): Watch {
  send({ type: 'ERROR', status })
  return { close: () => undefined }
}

/** The present state as ADDED events; returns its revision. */
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
  for (const shown of page.entries) {
    send({ type: 'ADDED', shown })
    if (pace.isDue()) await pace.rest()
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
    const { value } = shownEntry(resource, entry)
    return (
      matchesLabels(options.labels, value.metadata.labels) &&
      matchesFields(options.fields, value, resource)
    )
  }
  const before = event.previous !== undefined && matches(event.previous)
  if (event.type === 'DELETED') {
    return before ? { type: 'DELETED', shown: shownEntry(resource, event.entry) } : undefined
  }
  const after = matches(event.entry)
  if (after) {
    return { type: before ? 'MODIFIED' : 'ADDED', shown: shownEntry(resource, event.entry) }
  }
  if (!before || event.previous === undefined) return undefined
  const last = shownEntry(resource, event.previous).value
  return { type: 'DELETED', shown: shownValue(atRevision(last, event.revision)) }
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}
