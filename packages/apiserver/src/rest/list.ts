import type { Resource } from '../registry/resource.ts'
import { exactField, matchesFields } from '../selector/field-selector.ts'
import { matchesLabels } from '../selector/label-selector.ts'
import { ApiError, badRequest, expired, tooLargeResourceVersion } from '../status/api-error.ts'
import type { Entry, ListResult, Store } from '../store/store.ts'
import { FutureRevisionError, TooOldError } from '../store/store-error.ts'
import { decodeContinue, encodeContinue } from './continue-token.ts'
import { listPrefix, objectKey } from './environment.ts'
import type { ListOptions } from './list-options.ts'
import { createPacer } from './pacer.ts'
import { parseResourceVersion, waitUntilFresh } from './resource-version.ts'
import { convertedEntry, responseEntry } from './response-object.ts'

export interface ListPage {
  /** The selected objects in the served version. */
  readonly entries: readonly Entry[]
  readonly revision: number
  /** Empty on the last page. */
  readonly continueToken: string
  /** Absent with selectors, since the number is then unknown. */
  readonly remaining: number | undefined
}

export async function listObjects(
  store: Store,
  resource: Resource,
  namespace: string,
  options: ListOptions,
): Promise<ListPage> {
  const prefix = listPrefix(resource, namespace)
  const single = singleKey(resource, namespace, options)
  if (options.continueToken !== '') {
    // The token is checked first, as upstream does.
    const { revision, after } = decodeContinue(options.continueToken)
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue')
    }
    const read = revision < 0 ? reader(store, prefix) : snapshot(store, prefix, revision, after)
    return collect(store, read, resource, prefix, options, prefix + after)
  }
  const version = listVersion(options)
  if (version !== undefined && isExact(options, version)) {
    return collect(store, snapshot(store, prefix, version), resource, prefix, options)
  }
  if (version !== undefined && version > store.revision) await waitUntilFresh(store, version)
  // Like upstream, which serves "any version" from its cache, the limit is ignored.
  if (version === 0)
    return collect(store, reader(store, prefix), resource, prefix, { ...options, limit: 0 })
  if (single !== undefined) return await one(store, resource, single, options)
  return collect(store, reader(store, prefix), resource, prefix, options)
}

function listVersion({ resourceVersion }: ListOptions): number | undefined {
  try {
    return parseResourceVersion(resourceVersion)
  } catch (error) {
    if (error instanceof ApiError) throw badRequest(`invalid resource version: ${error.message}`)
    throw error
  }
}

type Read = (after: string | undefined, limit: number | undefined) => ListResult

function reader(store: Store, prefix: string): Read {
  return (after, limit) => store.list(prefix, pageOf(after, limit))
}

function snapshot(store: Store, prefix: string, revision: number, resumedAfter?: string): Read {
  return (after, limit) => {
    try {
      return store.listAt(prefix, revision, pageOf(after, limit))
    } catch (error) {
      if (error instanceof FutureRevisionError) {
        throw tooLargeResourceVersion(revision, store.revision)
      }
      if (!(error instanceof TooOldError)) throw error
      if (resumedAfter === undefined) {
        throw expired('The resourceVersion for the provided list is too old.')
      }
      throw expired(expiredContinue, encodeContinue({ revision: -1, after: resumedAfter }))
    }
  }
}

const expiredContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

function pageOf(after: string | undefined, limit: number | undefined) {
  return {
    ...(after === undefined ? {} : { after }),
    ...(limit === undefined ? {} : { limit }),
  }
}

/** A list with a limit and a resourceVersion is exact even without resourceVersionMatch. */
function isExact(options: ListOptions, version: number): boolean {
  if (version === 0) return false
  if (options.resourceVersionMatch !== '') return options.resourceVersionMatch === 'Exact'
  return options.limit > 0
}

async function collect(
  store: Store,
  first: Read,
  resource: Resource,
  prefix: string,
  options: ListOptions,
  start?: string,
): Promise<ListPage> {
  const selective = options.labels.length > 0 || options.fields.length > 0
  const entries: Entry[] = []
  const pace = createPacer()
  let read = first
  let after = start
  for (;;) {
    // With selectors, whole pages are read and filtered until enough objects match.
    const limit = options.limit > 0 ? options.limit - entries.length : undefined
    const page = read(after, limit)
    await resource.convertAll?.(page.entries)
    for (const stored of page.entries) {
      const entry = responseEntry(resource, stored)
      if (!selective || matches(entry, resource, options)) entries.push(entry)
      if (pace.isDue(selective ? entry.json.length : 0)) await pace.rest()
    }
    const last = page.entries.at(-1)
    if (!page.more || last === undefined) {
      return { entries, revision: page.revision, continueToken: '', remaining: undefined }
    }
    after = last.key
    if (options.limit > 0 && entries.length >= options.limit) {
      return {
        entries,
        revision: page.revision,
        continueToken: encodeContinue({
          revision: page.revision,
          after: after.slice(prefix.length),
        }),
        remaining: selective ? undefined : page.remaining,
      }
    }
    // All parts of a response must have the same revision.
    read = snapshot(store, prefix, page.revision)
  }
}

function singleKey(
  resource: Resource,
  namespace: string,
  options: ListOptions,
): string | undefined {
  const name = exactField(options.fields, 'metadata.name')
  if (name === undefined || name === '' || name.includes('/')) return undefined
  const within = namespace === '' ? exactField(options.fields, 'metadata.namespace') : namespace
  if (resource.namespaced && (within === undefined || within === '')) return undefined
  return objectKey(resource, within ?? '', name)
}

async function one(
  store: Store,
  resource: Resource,
  key: string,
  options: ListOptions,
): Promise<ListPage> {
  const stored = store.get(key)
  const entry = stored === undefined ? undefined : await convertedEntry(resource, stored)
  const entries = entry !== undefined && matches(entry, resource, options) ? [entry] : []
  return { entries, revision: store.revision, continueToken: '', remaining: undefined }
}

function matches(entry: Entry, resource: Resource, options: ListOptions): boolean {
  const { value } = entry
  return (
    matchesLabels(options.labels, value.metadata.labels) &&
    matchesFields(options.fields, value, resource)
  )
}
