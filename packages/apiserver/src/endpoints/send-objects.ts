import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KubeObject, ListMeta } from '@agents/kube'
import { stringifyJson } from '@agents/kube'
import { yamlLibrary } from '../json/yaml-library.ts'
import type { Resource } from '../registry/resource.ts'
import { invalidValue } from '../rest/field-errors.ts'
import type { Shown } from '../rest/shown.ts'
import { ApiError, badRequest, fieldErrorText } from './api-error.ts'
import type { Output } from './negotiate.ts'
import { partialMetadata } from './partial-metadata.ts'
import { isTrue } from './request-info.ts'
import { sendBody, setWarnings } from './respond.ts'
import type { IncludeObject, TableConverter } from './table-converter.ts'

export interface Answer {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly output: Output
  readonly query: URLSearchParams
  readonly toTable: TableConverter | undefined
  /** When the request came. */
  readonly now: Date
  /** What the time is: a watch lives on after its request. */
  readonly clock: () => Date
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
  if (output.as === 'object' && output.encoding === 'json' && !isPretty(answer)) {
    setWarnings(response, answer.warnings)
    await sendBody(request, response, code, output.contentType, shown.json)
    return
  }
  const { value } = shown
  await sendValue(answer, code, transformed(answer, resource, value))
}

/** Does the client want JSON that people can read? */
export function isPretty({ query }: Answer): boolean {
  return isTrue(query.get('pretty'))
}

/** A value that is no object of a resource (a Status): never a table. */
export async function sendValue(answer: Answer, code: number, value: object): Promise<void> {
  const { output, request, response } = answer
  setWarnings(response, answer.warnings)
  const text =
    output.encoding === 'yaml'
      ? yamlLibrary().stringify(value, { sortMapEntries: true })
      : `${stringifyJson(value, isPretty(answer) ? 2 : 0)}\n`
  await sendBody(request, response, code, output.contentType, Buffer.from(text))
}

/** What one event of a watch carries, for the forms that are not the object itself. */
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
  const { query, output, now } = answer
  return { includeObject: includeObject(query), listMeta, version: output.version, now }
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
  const problem = invalidValue(
    'includeObject',
    text,
    "must be 'Metadata', 'Object', 'None', or empty",
  )
  throw badRequest(`Unable to convert to Table as requested: ${fieldErrorText(problem)}`)
}
