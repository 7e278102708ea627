import {
  type KindRef,
  type KubeClient,
  type KubeObject,
  parseJson,
  resourcePath,
} from '@agents/kube'
import { columns, oneLine } from '../cli/text-table.ts'

/** `meta.k8s.io/v1` Table: the server knows the columns of every kind. */
export interface ServerTable {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority?: number }[]
  readonly rows: readonly TableRow[] | null
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
}

interface TableRow {
  readonly cells: readonly unknown[]
  readonly object?: Pick<KubeObject, 'metadata'>
}

export interface TableRequest {
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export const tableType = 'application/json;as=Table;v=v1;g=meta.k8s.io, application/json'

export function tablePath(kind: KindRef, request: TableRequest, more: Record<string, string> = {}) {
  const { namespace, name, labelSelector, fieldSelector } = request
  const query = new URLSearchParams(more)
  if (labelSelector !== undefined) query.set('labelSelector', labelSelector)
  if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector)
  const path = resourcePath(kind, { namespace: kind.namespaced ? namespace : undefined, name })
  return query.size === 0 ? path : `${path}?${query}`
}

/** All rows, page by page. */
export async function fetchTable(
  client: KubeClient,
  kind: KindRef,
  request: TableRequest,
): Promise<ServerTable> {
  let table: ServerTable | undefined
  let next: string | undefined
  do {
    const more = {
      ...(request.name === undefined && { limit: '500' }),
      ...(next && { continue: next }),
    }
    const { bytes } = await client.request({
      path: tablePath(kind, request, more),
      accept: tableType,
      signal: request.signal,
    })
    const page = parseJson(bytes.toString('utf8')) as ServerTable
    table =
      table === undefined
        ? page
        : {
            ...page,
            columnDefinitions: table.columnDefinitions,
            rows: [...(table.rows ?? []), ...(page.rows ?? [])],
          }
    next = page.metadata?.continue || undefined
  } while (next !== undefined)
  return table
}

export interface TableFormat {
  readonly wide: boolean
  /** A column for the namespace in front. */
  readonly namespaces: boolean
  /** In front of every name: `agentrun.agents.proompteng.ai/`. */
  readonly prefix?: string
  readonly headers: boolean
  /** Of the columns that were shown before and belong above; grows with what is shown. */
  readonly widths?: number[]
}

export function renderTable({ columnDefinitions, rows }: ServerTable, format: TableFormat): string {
  const visibleColumns = columnDefinitions
    .map((column, index) => ({ ...column, index }))
    .filter(({ priority = 0 }) => format.wide || priority === 0)
  const header = [
    ...(format.namespaces ? ['NAMESPACE'] : []),
    ...visibleColumns.map(({ name }) => name.toUpperCase()),
  ]
  const body = (rows ?? []).map((row) => [
    ...(format.namespaces ? [row.object?.metadata.namespace ?? ''] : []),
    ...visibleColumns.map(
      ({ index }, place) => (place === 0 ? (format.prefix ?? '') : '') + cell(row.cells[index]),
    ),
  ])
  return columns(format.headers ? [header, ...body] : body, format.widths)
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  // One line a row, whatever a message holds.
  return oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
