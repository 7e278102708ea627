import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { IncludeObject } from '../endpoints/table-converter.ts'
import type { Resource, TableColumn } from '../registry/resource.ts'
import { createTableConverter } from './to-table.ts'

const now = new Date('2026-01-10T12:00:00Z')
const fiveMinutesAgo = '2026-01-10T11:55:00Z'

describe('built-in kinds', () => {
  test('have the columns and cells of their printer', () => {
    const table = convert({ plural: 'configmaps' }, [
      { ...named('settings'), data: { a: '1', b: '2' } } as KubeObject,
    ])
    expect(table.columnDefinitions).toMatchObject([
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'Data', type: 'string', format: '', priority: 0 },
      { name: 'Age', type: 'string', format: '', priority: 0 },
    ])
    expect(table.rows).toMatchObject([{ cells: ['settings', 2, '5m'] }])
  })

  test('without a printer show the creation time', () => {
    const table = convert({ group: 'rbac.authorization.k8s.io', plural: 'roles' }, [
      named('reader'),
    ])
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Created At'])
    expect(table.rows).toMatchObject([{ cells: ['reader', fiveMinutesAgo] }])
  })

  test('are distinguished from custom kinds of the same name', () => {
    const table = convert({ plural: 'pods', isCustom: true }, [named('mine')])
    expect(table.rows).toMatchObject([{ cells: ['mine', '5m'] }])
  })

  test('have a condition in the row of a completed pod', () => {
    const pod = { ...named('done'), spec: { containers: [] }, status: { phase: 'Succeeded' } }
    expect(convert({ plural: 'pods' }, [pod]).rows).toMatchObject([
      { conditions: [{ type: 'Completed', status: 'True', reason: 'Succeeded' }] },
    ])
  })
})

describe('custom kinds', () => {
  const columns: TableColumn[] = [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
    { name: 'Due', type: 'date', jsonPath: '.spec.due' },
    { name: 'Note', type: 'string', jsonPath: '.spec.note', description: 'A note.' },
  ]

  test('have the columns that they declare', () => {
    const table = convert({ isCustom: true, columns }, [])
    expect(table.columnDefinitions).toMatchObject([
      { name: 'Name' },
      {
        name: 'Size',
        type: 'integer',
        priority: 1,
        description: expect.stringContaining('.spec.size'),
      },
      { name: 'Due', type: 'date', priority: 0 },
      { name: 'Note', type: 'string', description: 'A note.' },
    ])
    expect(table.rows).toEqual([])
  })

  test.each([
    {
      spec: { size: 3, due: '2026-01-10T11:00:00Z', note: 'n' },
      cells: [3, '60m', 'n'],
      because: 'all types match',
    },
    { spec: {}, cells: [null, null, null], because: 'missing fields are null' },
    {
      spec: { size: 'three', due: 5, note: 7 },
      cells: [null, null, '7'],
      because: 'only text takes any type',
    },
    {
      spec: { size: 2.9, due: 'soon', note: null },
      cells: [2, '<invalid>', '<no value>'],
      because: 'values are converted like in upstream',
    },
    { spec: { due: '' }, cells: [null, '<unknown>', null], because: 'an empty date is unknown' },
    { spec: { size: 1e300 }, cells: [-(2n ** 63n), null, null], because: 'integers have 64 bits' },
  ])('$cells: $because', ({ spec, cells }) => {
    const table = convert({ isCustom: true, columns }, [{ ...named('x'), spec }])
    expect(table.rows).toMatchObject([{ cells: ['x', ...cells] }])
  })

  test('lose the columns from the first invalid path on', () => {
    const broken = [columns[0], { name: 'Bad', type: 'string', jsonPath: '.a[' }, columns[2]]
    const table = convert({ isCustom: true, columns: broken as TableColumn[] }, [])
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Size'])
  })
})

test.each<{ include: IncludeObject; object: object | null }>([
  { include: 'None', object: null },
  {
    include: 'Metadata',
    object: {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: named('x').metadata,
    },
  },
  { include: 'Object', object: named('x') },
])('a row contains its object with includeObject=$include', ({ include, object }) => {
  expect(convert({}, [named('x')], include).rows).toMatchObject([{ object }])
})

test('a bookmark has an empty name', () => {
  const bookmark = { apiVersion: 'v1', kind: 'Secret', metadata: { resourceVersion: '7' } }
  const { rows } = convert({ plural: 'secrets' }, [bookmark as unknown as KubeObject])
  expect(rows).toMatchObject([{ cells: ['', '', 0, '<unknown>'] }])
})

function convert(
  resource: Partial<Resource>,
  objects: readonly KubeObject[],
  includeObject: IncludeObject = 'Metadata',
) {
  const full = { group: '', plural: 'things', isCustom: false, columns: undefined, ...resource }
  const table = createTableConverter()(full as Resource, objects, {
    includeObject,
    listMeta: {},
    version: 'v1',
    now,
  })
  return { ...table, columnDefinitions: table.columnDefinitions as readonly { name: string }[] }
}

function named(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name, creationTimestamp: fiveMinutesAgo } }
}
