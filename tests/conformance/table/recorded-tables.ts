import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecording } from '../../support/testbed/recorded-servers.ts'
import type { Table, TableRead } from './compare-tables.ts'

const file = join(import.meta.dirname, 'generated/tables.json')
const recorded: Record<string, TableRead> = {}

/** With CONFORMANCE_RECORD=1, keeps a table of the real server, whose objects the gate converts again. */
export function recordTable(path: string, { theirs, early, late }: TableRead): void {
  if (isRecording) recorded[path] = { theirs: withoutBulk(theirs), early, late }
}

export function saveTables(): void {
  if (!isRecording) return
  const lines = Object.entries(recorded).map(
    ([path, table]) => `${JSON.stringify(path)}:${JSON.stringify(table)}`,
  )
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`)
}

export function recordedTables(): readonly (readonly [path: string, table: TableRead])[] {
  const known = JSON.parse(readFileSync(file, 'utf8')) as Record<string, RecordedTable>
  return Object.entries(known).map(([path, { theirs, early, late }]) => [
    path,
    { theirs, early: new Date(early), late: new Date(late) },
  ])
}

interface RecordedTable {
  readonly theirs: Table
  readonly early: string
  readonly late: string
}

/** No cell shows what is left out. */
function withoutBulk({ rows, columnDefinitions, ...table }: Table): Table {
  return {
    ...table,
    columnDefinitions: columnDefinitions.map((each) => ({ ...each, description: '' })),
    rows:
      rows?.map(({ object, ...row }) => {
        const { managedFields: _, ...metadata } = object.metadata
        return { ...row, object: { ...object, metadata } }
      }) ?? null,
  }
}
