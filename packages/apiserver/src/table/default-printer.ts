import { column, nameColumn, type Printer } from './printer.ts'

/** The printer of kinds without their own: name and creation time. */
export const defaultPrinter: Printer = {
  columns: [
    nameColumn,
    column('Created At', { type: 'date', description: 'When the object was created.' }),
  ],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? zeroTime],
  nullWhenEmpty: true,
}

const zeroTime = '0001-01-01T00:00:00Z'
