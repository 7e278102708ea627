import { expect, test } from 'vitest'
import { expectSameTable } from './compare-tables.ts'
import { recordedTables } from './recorded-tables.ts'

const tables = recordedTables()

test('tables of every sampled resource are recorded', () => {
  expect(tables.length).toBeGreaterThan(20)
})

test.each(tables)('%s has the table that the real server made of the same objects', (...table) => {
  expectSameTable(...table)
})
