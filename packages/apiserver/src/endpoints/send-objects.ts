import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KubeObject, ListMeta } from '@agents/kube'
import { stringify as stringifyYaml } from 'yaml'
import { stringifyJson } from '../json/stringify-json.ts'
import type { Resource } from '../registry/resource.ts'
import { invalidValue } from '../rest/field-errors.ts'
import type { Shown } from '../rest/shown.ts'
import { ApiError, invalid } from './api-error.ts'
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
  await sendValue(answer, code, transformed(answer, resource, value, meta))
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

/** What one event of a watch carries, for the forms that are not the object itself. */
export function watchForm(
  answer: Answer,
  resource: Resource,
  value: KubeObject,
  withColumns: boolean,
): object {
  const meta = { resourceVersion: value.metadata.resourceVersion ?? '' }
  const form = transformed(answer, resource, value, meta)
  if (answer.output.as !== 'Table' || withColumns) return form
  return { ...form, columnDefinitions: null }
}

function transformed(
  answer: Answer,
  resource: Resource,
  value: KubeObject,
  meta: ListMeta,
): object {
  const { output, toTable } = answer
  if (output.as === 'Table' && toTable !== undefined) {
    return toTable(resource, [value], tableOptions(answer, meta))
  }
  if (output.as === 'PartialObjectMetadataList') throw wrongPartial(output.as, false)
  return output.as === 'PartialObjectMetadata' ? partialMetadata(value) : value
}

export function tableOptions(answer: Answer, listMeta: ListMeta) {
  return { includeObject: includeObject(answer.query), listMeta, now: answer.now }
}

/** The two kinds of metadata are not taken for each other. */
export function wrongPartial(asked: string, isList: boolean): ApiError {
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
