import { listValues, readValueTree, valuesSchema } from '@agents/chart-tools'
import { list, listSettings, number, text } from '@agents/config'
import { describe, expect, test } from 'vitest'
import { checkChartValues, envRows, envTemplate } from './env-template.ts'

const tree = readValueTree(`\
# -- How many.
# @schema {"minimum": 1}
count: 3
# -- Free labels.
# @schema {"open": true}
labels:
  a: b
# -- A group.
group:
  # -- First of the group.
  first: x
  # -- May be left out.
  # @schema {"type": ["integer", "null"]}
  second: null
  # -- Names.
  # @schema {"minItems": 1, "type": "array"}
  names: [a]
`)

describe('values.yaml', () => {
  test('is parsed with the comments above its keys, also above the first key of a map', () => {
    const described = listValues(tree).map(({ path, description }) => [path.join('.'), description])
    expect(described).toEqual([
      ['count', 'How many.'],
      ['labels', 'Free labels.'],
      ['group', 'A group.'],
      ['group.first', 'First of the group.'],
      ['group.second', 'May be left out.'],
      ['group.names', 'Names.'],
    ])
  })

  test('rejects a @schema comment that is not JSON, with the name of its value', () => {
    expect(() => readValueTree('a:\n  # @schema {open}\n  b: 1\n')).toThrow(
      /@schema comment of a\.b/,
    )
  })

  test('becomes a strict schema that requires what templates need', () => {
    const schema = JSON.parse(valuesSchema(tree, { 'group.old': 'use group.first' }))
    expect(schema).toMatchObject({
      additionalProperties: false,
      required: ['count', 'group'],
      properties: {
        count: { type: 'integer', minimum: 1, default: 3, description: 'How many.' },
        labels: { type: ['object', 'null'], default: { a: 'b' } },
        group: {
          additionalProperties: false,
          required: ['first', 'names'],
          properties: {
            second: { type: ['integer', 'null'], default: null },
            old: { description: 'Removed: use group.first' },
          },
        },
      },
    })
    expect(schema.properties.labels).not.toHaveProperty('additionalProperties')
  })
})

describe('variables', () => {
  const doc = 'What it is.'
  const rowsOf = (declaration: Parameters<typeof listSettings>[0]) =>
    envRows(listSettings(declaration), tree)

  test('have the form of their value', () => {
    const rows = rowsOf({
      names: list('NAMES', { doc, chart: 'group.names', fallback: [] }),
      count: number('COUNT', { doc, chart: 'count', fallback: 1 }),
      first: text('FIRST', { doc, chart: 'group.first', fallback: '' }),
      elsewhere: text('PORT', { doc, chart: 'env.vars.PORT', fallback: '' }),
      own: text('OWN', { doc, fallback: '' }),
    })
    expect(rows.map(({ env, form }) => [env, form])).toEqual([
      ['COUNT', 'number'],
      ['FIRST', 'text'],
      ['NAMES', 'list'],
    ])
    expect(envTemplate(rows)).toContain('set $env "COUNT" (.Values.count | int64 | toString)')
  })

  test('cannot refer to a value that does not exist', () => {
    const lost = { lost: text('LOST', { doc, chart: 'group.third', fallback: '' }) }
    expect(() => rowsOf(lost)).toThrow('LOST: values.yaml has no group.third')
    expect(() => checkChartValues(listSettings(lost), tree)).toThrow('LOST')
  })

  test('of hand-written templates are not set again, but their value must exist', () => {
    const api = (chart: string) => ({ on: text('JANGAR_API_ON', { doc, chart, fallback: '' }) })
    expect(rowsOf(api('group.first'))).toEqual([])
    expect(() => rowsOf(api('group.third'))).toThrow(
      'JANGAR_API_ON: values.yaml has no group.third',
    )
  })
})
