import type { KubeObject } from '@agents/kube'

/** An entry of a Table's `columnDefinitions`. */
interface ColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  /** Columns above 0 are shown only with `-o wide`. */
  readonly priority: number
}

export type Cell = string | number | bigint | boolean | null

export interface RowCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** Columns and cells of a kind. */
export interface Printer {
  readonly columns: readonly ColumnDefinition[]
  /** One cell for each column. */
  cells(object: KubeObject, now: Date): Cell[]
  rowConditions?(object: KubeObject): readonly RowCondition[]
  /** Like upstream's simplest tables, rows are null instead of an empty list. */
  readonly nullWhenEmpty?: true
}

/** A printer of objects of type `T`, which have been validated by their schema. */
export function printer<T extends KubeObject>(
  columns: readonly ColumnDefinition[],
  cells: (object: T, now: Date) => Cell[],
): Printer {
  return { columns, cells: (object, now) => cells(object as T, now) }
}

interface ColumnOptions {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
}

export function column(name: string, options: ColumnOptions = {}): ColumnDefinition {
  return {
    name,
    type: options.type ?? 'string',
    format: options.format ?? '',
    description: options.description ?? '',
    priority: options.priority ?? 0,
  }
}

export function integerColumn(name: string): ColumnDefinition {
  return column(name, { type: 'integer' })
}

export function booleanColumn(name: string): ColumnDefinition {
  return column(name, { type: 'boolean' })
}

export function wideColumn(name: string): ColumnDefinition {
  return column(name, { priority: 1 })
}

export const nameColumn = column('Name', { format: 'name', description: 'Name of the object.' })
export const ageColumn = column('Age', { description: 'Time since the object was created.' })
