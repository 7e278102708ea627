import type { AnyKind, Schema } from '@agents/crd'
import { customResourceDefinition } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { conditionsByKind } from './conditions.ts'
import { kinds } from './kinds.ts'

/** Taken by Kubernetes itself, or by the kinds of the Git mirror that are installed beside ours. */
const takenShortNames =
  'cm cs ep ev limits no ns pvc pv po rc quota sa svc ds deploy rs sts hpa cj csr ing netpol pdb pc sc crd crds gp gt wr cwr'.split(
    ' ',
  )

describe('the kinds of the agents groups', () => {
  test('are listed once each', () => {
    expect(new Set(kinds.map(({ kind }) => kind)).size).toBe(kinds.length)
    const names = kinds.map(({ plural, group }) => `${plural}.${group}`)
    expect(new Set(names).size).toBe(kinds.length)
  })

  test('have names that kubectl cannot confuse', () => {
    const names = kinds.flatMap(({ plural, singular, shortNames = [] }) => [
      plural,
      singular,
      ...shortNames,
    ])
    expect(kinds.filter(({ shortNames }) => !shortNames?.length)).toEqual([])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(names.filter((name) => takenShortNames.includes(name))).toEqual([])
  })

  test('share a category, a version and a scope', () => {
    for (const { categories, version, scope } of kinds) {
      expect({ categories, version, scope }).toEqual({
        categories: ['agents-all'],
        version: 'v1alpha1',
        scope: 'Namespaced',
      })
    }
  })
})

describe.each(kinds.map((kind) => ({ name: kind.kind, kind })))('$name', ({ kind }) => {
  test('has printer columns that point at fields of its schema, of their type', () => {
    const columns = customResourceDefinition(kind).spec.versions[0]?.additionalPrinterColumns ?? []
    for (const { name, jsonPath, type } of columns.slice(0, -1)) {
      const field = resolve(kind.schema, jsonPath)
      expect({ name, field: type === 'date' ? field?.format : field?.type }).toEqual({
        name,
        field: type === 'date' ? 'date-time' : type,
      })
    }
  })

  test('shows its summary in a column', () => {
    expect(kind.columns.map(({ name }) => name)).toContain(kind.summary)
    expect(conditionsByKind[kind.kind]?.summary).toBe(kind.summary)
  })

  test('has printer columns of different names', () => {
    const names = kind.columns.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('explains every field in whole sentences', () => {
    expect(unexplained(kind.schema, kind.kind)).toEqual([])
  })

  test('explains every condition and every reason in a whole sentence', () => {
    const all = conditionsByKind[kind.kind]?.all ?? []
    const sentences = all.flatMap(({ doc, reasons }) => [
      ...Object.values(doc),
      ...Object.values(reasons),
    ])
    expect(sentences.length).toBeGreaterThan(0)
    expect(sentences.filter((sentence) => !/^[A-Z].*\.$/.test(sentence))).toEqual([])
  })

  test('stays well below what Kubernetes stores in one object', () => {
    expect(JSON.stringify(customResourceDefinition(kind)).length).toBeLessThan(256 * 1024)
  })
})

/** The schema at a path such as `.status.conditions[?(@.type=="Ready")].reason`. */
function resolve(schema: Schema, jsonPath: string): Schema | undefined {
  const names = jsonPath
    .replaceAll(/\[[^\]]*\]/g, '.[]')
    .split('.')
    .filter(Boolean)
  return names.reduce<Schema | undefined>(
    (at, name) => (name === '[]' ? at?.items : at?.properties?.[name]),
    schema,
  )
}

/** Paths without a sentence. `metadata` is explained by Kubernetes itself. */
function unexplained(schema: Schema, path: string): string[] {
  const here = /^\w.*\.$/s.test(schema.description ?? '') ? [] : [path]
  const below = Object.entries(schema.properties ?? {})
    .filter(([name]) => !(path.indexOf('.') === -1 && name === 'metadata'))
    .flatMap(([name, property]) => unexplained(property, `${path}.${name}`))
  const items = schema.items ? unexplained(schema.items, `${path}[]`) : []
  const values =
    typeof schema.additionalProperties === 'object'
      ? unexplained(schema.additionalProperties, `${path}{}`)
      : []
  return [...here, ...below, ...items, ...values]
}

test('a path that leads nowhere is noticed', () => {
  const [first] = kinds as readonly [AnyKind, ...AnyKind[]]
  expect(resolve(first.schema, '.status.conditions[?(@.type=="Ready")].status')?.type).toBe(
    'string',
  )
  expect(resolve(first.schema, '.status.missing')).toBeUndefined()
})
