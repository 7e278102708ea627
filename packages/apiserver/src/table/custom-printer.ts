import type { KubeObject } from '@agents/kube'
import type { TableColumn } from '../registry/resource.ts'
import { age } from './age.ts'
import { findResults } from './json-path/find-results.ts'
import { type JsonPath, parseJsonPath } from './json-path/parse-json-path.ts'
import { printValue } from './json-path/print-value.ts'
import { type Cell, column, nameColumn, type Printer } from './printer.ts'

/** The printer of a custom resource: the name and the declared columns, or the age if there are none. */
export function customPrinter(declared: readonly TableColumn[]): Printer {
  const parsed: { column: TableColumn; path: JsonPath }[] = []
  for (const each of declared.length === 0 ? ageOnly : declared) {
    const path = parseJsonPath(each.jsonPath)
    // Like upstream, the first invalid path ends the columns.
    if (path === undefined) break
    parsed.push({ column: each, path })
  }
  return {
    columns: [nameColumn, ...parsed.map(({ column: each }) => definition(each))],
    cells: (object, now) => [
      object.metadata.name,
      ...parsed.map(({ column: { type }, path }) => cell(object, type, path, now)),
    ],
  }
}

const ageOnly: readonly TableColumn[] = [
  {
    name: 'Age',
    type: 'date',
    description: 'Time since the object was created.',
    jsonPath: '.metadata.creationTimestamp',
  },
]

function definition({ name, type, format, description, priority, jsonPath }: TableColumn) {
  return column(name, {
    type,
    ...(format === undefined ? {} : { format }),
    ...(priority === undefined ? {} : { priority }),
    description:
      description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  })
}

/** Prints the first result; null if there is none or it does not match the column's type. */
function cell(object: KubeObject, type: string, path: JsonPath, now: Date): Cell {
  const results = findResults(path, object)
  if (results === undefined || results.length === 0) return null
  const value = results[0]
  if (type === 'string') return printValue(value)
  switch (type) {
    case 'integer':
      if (typeof value === 'bigint') return value
      return typeof value === 'number' ? wholeNumber(value) : null
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null
    default:
      return null
  }
}

/** Like Go on amd64, numbers that overflow int64 become the smallest int64. */
function wholeNumber(value: number): number | bigint {
  return Math.abs(value) < 2 ** 63 ? Math.trunc(value) : -(2n ** 63n)
}

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})$/

function dateCell(text: string, now: Date): string {
  if (text === '' || text === 'null') return '<unknown>'
  const valid = timestamp.test(text) && !Number.isNaN(Date.parse(text.replace(',', '.')))
  return valid ? age(text, now) : '<invalid>'
}
