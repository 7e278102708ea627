import { createTableConverter } from '@agents/apiserver'
import { expect } from 'vitest'
import { declaredColumns } from '../../support/samples/custom-samples.ts'

type Converter = ReturnType<typeof createTableConverter>
type Resource = Parameters<Converter>[0]
export type KubeObject = Parameters<Converter>[1][number]

interface TableRow {
  readonly cells: readonly unknown[]
  readonly conditions?: readonly object[]
  readonly object: KubeObject
}

export interface Table {
  readonly metadata: object
  readonly columnDefinitions: readonly { readonly description: string }[]
  readonly rows: readonly TableRow[] | null
}

export const toTable = createTableConverter()

/** A table of the real server, and our clock before and after it was asked. */
export interface TableRead {
  readonly theirs: Table
  readonly early: Date
  readonly late: Date
}

/** Expects that our converter makes the same table of the same objects at the same time. */
export function expectSameTable(path: string, { theirs, early, late }: TableRead): void {
  const resource = resourceAt(path)
  const objects = (theirs.rows ?? []).map(({ object }) => object)
  expect(objects.length).toBeGreaterThan(0)
  const tables = momentsFrom(early, late).map(
    (now) =>
      toTable(resource, objects, {
        includeObject: 'Object',
        version: 'v1',
        listMeta: {},
        now,
      }) as unknown as Table,
  )
  const [ours] = tables
  expect(ours?.columnDefinitions.map(withoutProse)).toEqual(
    theirs.columnDefinitions.map(withoutProse),
  )
  for (const [index, row] of (theirs.rows ?? []).entries()) {
    const seen = { name: row.object.metadata.name, conditions: row.conditions }
    const cells = ours?.rows?.[index]?.cells ?? []
    // The other server read its clock between our two readings.
    const matched = cells.map((cell, column) => {
      const atMoments = tables.map(({ rows }) => rows?.[index]?.cells[column])
      return atMoments.includes(row.cells[column]) ? row.cells[column] : cell
    })
    expect({ ...seen, cells: named(theirs, matched) }).toEqual({
      name: row.object.metadata.name,
      conditions: ours?.rows?.[index]?.conditions,
      cells: named(theirs, row.cells),
    })
  }
}

/** Each second from one to the other: ages may be printed in seconds. */
function momentsFrom(early: Date, late: Date): Date[] {
  const seconds = Math.ceil((late.getTime() - early.getTime()) / 1000)
  return Array.from({ length: seconds + 1 }, (_, second) =>
    second < seconds ? new Date(early.getTime() + second * 1000) : late,
  )
}

export function resourceAt(path: string): Resource {
  const parts = path.split('/')
  const plural = parts.at(-1) ?? ''
  return resourceLike({ group: parts[1] === 'api' ? '' : (parts[2] ?? ''), plural })
}

/** The part of a resource that tables are built from. */
export function resourceLike({ group, plural }: { group: string; plural: string }): Resource {
  const isCustom = Object.hasOwn(declaredColumns, plural)
  return { group, plural, isCustom, columns: declaredColumns[plural] } as unknown as Resource
}

export function withoutProse({
  description: _,
  ...definition
}: {
  readonly description: string
}): object {
  return definition
}

function named(table: Table, cells: readonly unknown[]): object {
  return Object.fromEntries(
    cells.map((cell, index) => [
      (table.columnDefinitions[index] as unknown as { name: string } | undefined)?.name ?? index,
      typeof cell === 'bigint' ? Number(cell) : cell,
    ]),
  )
}
