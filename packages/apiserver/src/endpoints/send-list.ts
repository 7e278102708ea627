import { WorkLimitExceeded } from '@agents/crd'
import type { KubeObject, ListMeta } from '@agents/kube'
import { formatApiVersion, stringifyJson } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { ListPage } from '../rest/list.ts'
import { createPacer } from '../rest/pacer.ts'
import type { Entry } from '../store/store.ts'
import { createBodyStream } from './body-stream.ts'
import { partialMetadata } from './partial-metadata.ts'
import { sendBody, setWarnings } from './respond.ts'
import { type Answer, isPretty, sendValue, tableOptions, wrongPartial } from './send-objects.ts'

/** Up to this size, in bytes, a list is sent in one piece. */
const wholeListLimit = 32 * 1024

/** Sends a list in the negotiated form. Large lists are streamed, to limit memory and to yield to other requests. */
export async function sendList(answer: Answer, resource: Resource, page: ListPage): Promise<void> {
  const { output } = answer
  if (output.encoding === 'yaml' || (output.as === 'object' && isPretty(answer))) {
    const size = page.entries.reduce((sum, { json }) => sum + json.length, 0)
    if (answer.isLimited && size > wholeListLimit) throw new WorkLimitExceeded()
    // Deleted objects cannot be listed again by the other thread, so they are sent as JSON, which is valid YAML.
    if (answer.request.method === 'GET' || size <= wholeListLimit) {
      const items = page.entries.map((entry) => entry.value)
      return sendValue(answer, 200, { ...listHead(resource, page), items })
    }
  }
  switch (output.as) {
    case 'Table':
      return sendTable(answer, resource, page)
    case 'PartialObjectMetadata':
      throw wrongPartial(output.as, true)
    case 'PartialObjectMetadataList': {
      const head = {
        kind: 'PartialObjectMetadataList',
        apiVersion: `meta.k8s.io/${output.version}`,
        metadata: listMeta(page),
        items: [],
      }
      const pieces = piecesOf(page.entries, ({ value }) =>
        text(partialMetadata(value, output.version)),
      )
      return stream(answer, openEnded(head), pieces)
    }
    case 'object':
      return stream(
        answer,
        openEnded({ ...listHead(resource, page), items: [] }),
        piecesOf(page.entries, resource.isCustom ? ({ json }) => json : withoutType(resource)),
      )
  }
}

/** Items of built-in lists lack kind and apiVersion. */
function withoutType(resource: Resource): (entry: Entry) => Buffer {
  const { kind } = resource
  const type = Buffer.from(`{"kind":"${kind}","apiVersion":"${formatApiVersion(resource)}",`)
  return ({ json, value }) => {
    if (json.length > type.length && json.compare(type, 0, type.length, 0, type.length) === 0) {
      return Buffer.concat([openBrace, json.subarray(type.length)])
    }
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = value
    return text(rest)
  }
}

const openBrace = Buffer.from('{')

/** Number of objects, and bytes of their JSON, that are converted to rows before the thread yields. */
const rowsAtOnce = 50
const rowBytesAtOnce = 64 * 1024

async function sendTable(answer: Answer, resource: Resource, page: ListPage): Promise<void> {
  const { toTable } = answer
  if (toTable === undefined) throw new Error('a table was promised without a converter')
  const options = tableOptions(answer, listMeta(page))
  const { rows: none, ...head } = toTable(resource, [], options)
  if (none === null && page.entries.length === 0) {
    return sendValue(answer, 200, { ...head, rows: null })
  }
  const rows = (values: KubeObject[]): Buffer =>
    Buffer.from(
      (toTable(resource, values, options).rows ?? []).map((row) => stringifyJson(row)).join(','),
    )
  await stream(answer, openEnded({ ...head, rows: [] }), batches(page.entries, rows))
}

function* piecesOf(entries: readonly Entry[], piece: (entry: Entry) => Buffer): Generator<Buffer> {
  for (const entry of entries) yield piece(entry)
}

function* batches(
  entries: readonly Entry[],
  piece: (values: KubeObject[]) => Buffer,
): Generator<Buffer | undefined> {
  let batch: KubeObject[] = []
  let bytes = 0
  for (const { value, json } of entries) {
    // A large object is parsed in a turn of its own.
    if (json.length >= rowBytesAtOnce) yield undefined
    batch.push(value)
    bytes += json.length
    if (batch.length < rowsAtOnce && bytes < rowBytesAtOnce) continue
    yield piece(batch)
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield piece(batch)
}

/** The JSON of an object whose last field is an empty list, cut before the end of the list. */
function openEnded(head: object): Buffer {
  return Buffer.from(stringifyJson(head).slice(0, -2))
}

const comma = Buffer.from(',')
const end = Buffer.from(']}\n')

/** `undefined` instead of a piece marks a point to yield to other requests. */
type Pieces = Iterable<Buffer | undefined>

async function stream(answer: Answer, head: Buffer, pieces: Pieces): Promise<void> {
  const { request, response, output } = answer
  setWarnings(response, answer.warnings)
  if (request.method === 'HEAD') {
    return sendBody(request, response, 200, output.contentType, Buffer.concat([head, end]))
  }
  const body = createBodyStream(request, response, output.contentType)
  const pace = createPacer(output.as === 'object' ? 32 : 1)
  body.write(head)
  let first = true
  for (const piece of pieces) {
    if (piece !== undefined) {
      if (!first) body.write(comma)
      first = false
      body.write(piece)
    }
    if (body.isFull()) await body.drain()
    // Other requests get their turn even if the client has read everything at once.
    if (pace.isDue()) await pace.rest()
  }
  body.write(end)
  await body.end()
}

function text(value: object): Buffer {
  return Buffer.from(stringifyJson(value))
}

/** The last page of custom resources has an empty `continue`; that of built-in resources lacks the field. */
function listHead(resource: Resource, page: ListPage): object {
  const metadata = listMeta(page)
  return {
    kind: resource.listKind,
    apiVersion: formatApiVersion(resource),
    metadata: resource.isCustom ? { continue: '', ...metadata } : metadata,
  }
}

function listMeta(page: ListPage): ListMeta {
  return {
    resourceVersion: String(page.revision),
    ...(page.continueToken === '' ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  }
}
