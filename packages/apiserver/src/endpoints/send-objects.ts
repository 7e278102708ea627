import type { IncomingMessage, ServerResponse } from 'node:http'
import { WorkLimitExceeded } from '@agents/crd'
import type { KubeObject, ListMeta } from '@agents/kube'
import { stringifyJson } from '@agents/kube'
import { yamlLibrary } from '../json/yaml-library.ts'
import type { Resource } from '../registry/resource.ts'
import { isHeavyObject } from '../request/body-weight.ts'
import type { ResponseObject } from '../rest/response-object.ts'
import { ApiError, badRequest, fieldErrorText } from '../status/api-error.ts'
import { invalidValue } from '../status/field-errors.ts'
import { wantsIndentation } from './indentation.ts'
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
  /** Whether the objects are Scales of the resource, which have columns of their own. */
  readonly isScale: boolean
  /** Time of the request. */
  readonly now: Date
  /** The current time, since a watch lasts longer than its request. */
  readonly clock: () => Date
  /** Whether requests that are too expensive for this thread are offloaded. */
  readonly isLimited: boolean
  /** Warnings to send with the response. */
  readonly warnings: readonly string[]
}

/** Sends an object in the negotiated form. Plain JSON is sent as the stored bytes. */
export async function sendObject(
  answer: Answer,
  resource: Resource,
  code: number,
  payload: ResponseObject,
): Promise<void> {
  const { output, request, response } = answer
  if (output.as === 'object' && output.encoding === 'json' && !isPretty(answer)) {
    setWarnings(response, answer.warnings)
    await sendBody(request, response, code, output.contentType, payload.json)
    return
  }
  if (answer.isLimited && isHeavyObject(payload.json)) throw new WorkLimitExceeded()
  const { value } = payload
  await sendValue(answer, code, transformed(answer, resource, value))
}

/** Whether the response is indented JSON. */
export function isPretty({ request, query }: Answer): boolean {
  return wantsIndentation(request.headers, query.get('pretty'))
}

/** Sends a value that is not an object of a resource, such as a Status, and never becomes a table. */
export async function sendValue(answer: Answer, code: number, value: object): Promise<void> {
  const { output, request, response } = answer
  setWarnings(response, answer.warnings)
  const text =
    output.encoding === 'yaml'
      ? yamlLibrary().stringify(value, { sortMapEntries: true })
      : `${stringifyJson(value, isPretty(answer) ? 2 : 0)}\n`
  await sendBody(request, response, code, output.contentType, Buffer.from(text))
}

/** The object of a watch event, for the forms that are not the object itself. */
export function watchForm(
  answer: Answer,
  resource: Resource,
  value: KubeObject,
  withColumns: boolean,
): object {
  const form = transformed({ ...answer, now: answer.clock() }, resource, value)
  if (answer.output.as !== 'Table' || withColumns) return form
  return { ...form, columnDefinitions: null }
}

function transformed(answer: Answer, resource: Resource, value: KubeObject): object {
  const { output, toTable } = answer
  if (output.as === 'Table' && toTable !== undefined) {
    const { resourceVersion } = value.metadata
    const meta = resourceVersion === undefined ? {} : { resourceVersion }
    return toTable(resource, [value], tableOptions(answer, meta))
  }
  if (output.as === 'PartialObjectMetadataList') throw wrongPartial(output.as, false)
  return output.as === 'PartialObjectMetadata' ? partialMetadata(value, output.version) : value
}

export function tableOptions(answer: Answer, listMeta: ListMeta) {
  const { query, output, now, isScale } = answer
  return { includeObject: includeObject(query), listMeta, version: output.version, now, isScale }
}

/** The 406 for partial metadata of a list that was requested as that of an object, and the other way around. */
export function wrongPartial(requested: string, isList: boolean): ApiError {
  const what = isList
    ? 'is a list (*unstructured.UnstructuredList)'
    : 'is not a list (*unstructured.Unstructured)'
  return new ApiError(
    406,
    'NotAcceptable',
    `you requested ${requested}, but the requested object ${what}`,
  )
}

function includeObject(query: URLSearchParams): IncludeObject {
  const text = query.get('includeObject') ?? ''
  if (text === '') return 'Metadata'
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text
  const problem = invalidValue(
    'includeObject',
    text,
    "must be 'Metadata', 'Object', 'None', or empty",
  )
  throw badRequest(`Unable to convert to Table as requested: ${fieldErrorText(problem)}`)
}
