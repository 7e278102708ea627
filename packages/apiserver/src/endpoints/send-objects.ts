import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KubeObject, ListMeta } from '@agents/kube'
import { formatApiVersion } from '@agents/kube'
import { stringify as stringifyYaml } from 'yaml'
import { stringifyJson } from '../json/stringify-json.ts'
import type { Resource } from '../registry/resource.ts'
import { invalidValue } from '../rest/field-errors.ts'
import type { ListPage } from '../rest/list.ts'
import type { Shown } from '../rest/shown.ts'
import { ApiError, invalid } from './api-error.ts'
import { createBodyStream } from './body-stream.ts'
import type { Output } from './negotiate.ts'
import { partialMetadata } from './partial-metadata.ts'
import { sendBody, setWarnings } from './respond.ts'
import type { IncludeObject, TableConverter } from './table-converter.ts'

export interface Answer {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly output: Output
  readonly query: URLSearchParams
  readonly toTable: TableConverter | undefined
  readonly now: Date
  /** Collected while the request was handled; sent with the answer. */
  readonly warnings: readonly string[]
}

/** One object in the form that the client asked for; plain JSON goes out as the stored bytes. */
export async function sendObject(
  answer: Answer,
  resource: Resource,
  code: number,
  shown: Shown,
): Promise<void> {
  const { output, request, response } = answer
  if (output.as === 'object' && output.encoding === 'json') {
    setWarnings(response, answer.warnings)
    await sendBody(request, response, code, output.contentType, shown.json)
    return
  }
  const { value } = shown
  const meta = { resourceVersion: value.metadata.resourceVersion ?? '' }
  await sendValue(
    answer,
    code,
    transformed(answer, resource, [value], meta, () => value),
  )
}

/** A value that is no object of a resource (a Status): never a table. */
export async function sendValue(answer: Answer, code: number, value: object): Promise<void> {
  const { output, request, response } = answer
  setWarnings(response, answer.warnings)
  const text =
    output.encoding === 'yaml'
      ? stringifyYaml(value, { sortMapEntries: true })
      : `${stringifyJson(value)}\n`
  await sendBody(request, response, code, output.contentType, Buffer.from(text))
}

/** A list, streamed from the objects' bytes so that a large one neither fills memory nor holds the thread. */
export async function sendList(answer: Answer, resource: Resource, page: ListPage): Promise<void> {
  const { output, request, response } = answer
  const meta = listMeta(page, resource)
  if (output.as !== 'object' || output.encoding !== 'json') {
    const values = page.entries.map((entry) => entry.value)
    const list = (): object => ({
      kind: resource.listKind,
      apiVersion: formatApiVersion(resource),
      metadata: meta,
      items: values,
    })
    await sendValue(answer, 200, transformed(answer, resource, values, meta, list, true))
    return
  }
  setWarnings(response, answer.warnings)
  const head = {
    kind: resource.listKind,
    apiVersion: formatApiVersion(resource),
    metadata: meta,
    items: [],
  }
  const start = JSON.stringify(head).slice(0, -2)
  if (request.method === 'HEAD') {
    await sendBody(request, response, 200, output.contentType, Buffer.from(`${start}]}`))
    return
  }
  const stream = createBodyStream(request, response, output.contentType)
  stream.write(Buffer.from(start))
  let first = true
  for (const { json } of page.entries) {
    if (!first) stream.write(comma)
    first = false
    stream.write(json)
    if (stream.isFull()) await stream.drain()
  }
  stream.write(end)
  await stream.end()
}

/** What one event of a watch carries, for the forms that are not the object itself. */
export function watchForm(
  answer: Answer,
  resource: Resource,
  value: KubeObject,
  withColumns: boolean,
): object {
  const meta = { resourceVersion: value.metadata.resourceVersion ?? '' }
  const form = transformed(answer, resource, [value], meta, () => value)
  if (answer.output.as !== 'Table' || withColumns) return form
  return { ...form, columnDefinitions: null }
}

const comma = Buffer.from(',')
const end = Buffer.from(']}\n')

function transformed(
  answer: Answer,
  resource: Resource,
  values: readonly KubeObject[],
  meta: ListMeta,
  plain: () => object,
  isList = false,
): object {
  const { output, toTable } = answer
  if (output.as === 'Table' && toTable !== undefined) {
    return toTable(resource, values, {
      includeObject: includeObject(answer.query),
      listMeta: meta,
      now: answer.now,
    })
  }
  if (output.as === 'object' || output.as === 'Table') return plain()
  if (isList !== (output.as === 'PartialObjectMetadataList')) throw wrongPartial(output.as, isList)
  const items = values.map(partialMetadata)
  if (!isList) return items[0] ?? {}
  const { continue: token, ...rest } = meta
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: token === undefined || token === '' ? rest : meta,
    items,
  }
}

function wrongPartial(asked: string, isList: boolean): ApiError {
  const what = isList
    ? 'is a list (*unstructured.UnstructuredList)'
    : 'is not a list (*unstructured.Unstructured)'
  return new ApiError(
    406,
    'NotAcceptable',
    `you requested ${asked}, but the requested object ${what}`,
  )
}

function includeObject(query: URLSearchParams): IncludeObject {
  const text = query.get('includeObject') ?? ''
  if (text === '') return 'Metadata'
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text
  throw invalid({ group: 'meta.k8s.io', kind: 'TableOptions' }, '', [
    invalidValue('includeObject', text, "must be 'Metadata', 'Object', 'None', or empty"),
  ])
}

/** Lists of custom resources say that they do not go on, those of built-ins say nothing. */
function listMeta(page: ListPage, { isCustom }: Resource): ListMeta {
  return {
    resourceVersion: String(page.revision),
    ...(page.continueToken === '' && !isCustom ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  }
}
