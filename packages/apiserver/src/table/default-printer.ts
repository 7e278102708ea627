import { column, nameColumn, type Printer } from './printer.ts'

/** For kinds without a printer of their own: name and time of creation. */
export const defaultPrinter: Printer = {
  columns: [
    nameColumn,
    column('Created At', { type: 'date', description: 'When the object was created.' }),
  ],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? zeroTime],
  nullWhenEmpty: true,
}

const zeroTime = '0001-01-01T00:00:00Z'
