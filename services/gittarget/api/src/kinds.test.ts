import { type AnyKind, customResourceDefinition, type Schema } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { conditionsByKind } from './conditions.ts'
import { gitTargetClock } from './git-target/clock.ts'
import { gitTarget } from './git-target/kind.ts'
import { kinds } from './kinds.ts'

interface Place {
  readonly path: string
  readonly schema: Schema
}

function* places(schema: Schema, path: string): Generator<Place> {
  yield { path, schema }
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    yield* places(inner, `${path}.${name}`)
  }
  if (schema.items) yield* places(schema.items, `${path}[]`)
  if (typeof schema.additionalProperties === 'object') {
    yield* places(schema.additionalProperties, `${path}{}`)
  }
}

function fieldsOf(kind: AnyKind, part: 'spec' | 'status') {
  return [...places(kind.schema.properties?.[part] ?? {}, `.${part}`)]
}

const byName = kinds.map((kind) => ({ name: kind.kind, kind }))

describe('the kinds of the group', () => {
  test('have the expected names', () => {
    const names = kinds.map(({ apiVersion, plural, shortNames, scope }) => [
      `${plural}.${apiVersion}`,
      shortNames,
      scope,
    ])
    expect(names).toEqual([
      ['gitproviders.gitops.proompteng.ai/v1alpha1', ['gp'], 'Namespaced'],
      ['gittargets.gitops.proompteng.ai/v1alpha1', ['gt'], 'Namespaced'],
      ['watchrules.gitops.proompteng.ai/v1alpha1', ['wr'], 'Namespaced'],
      ['clusterwatchrules.gitops.proompteng.ai/v1alpha1', ['cwr'], 'Cluster'],
    ])
  })

  test('have their conditions declared', () => {
    expect(Object.keys(conditionsByKind)).toEqual(kinds.map(({ kind }) => kind))
  })
})

describe.each(byName)('$name', ({ kind }) => {
  test('explains each of its fields in a sentence', () => {
    for (const { path, schema } of [...fieldsOf(kind, 'spec'), ...fieldsOf(kind, 'status')]) {
      expect(schema.description, path).toMatch(/^[A-Z*].*\.$/)
    }
  })

  test('bounds strings, lists and maps in its spec, so that its rules have a bounded cost', () => {
    for (const { path, schema } of fieldsOf(kind, 'spec')) {
      const bound = {
        string: schema.maxLength ?? schema.enum?.length,
        array: schema.maxItems,
        object: schema.additionalProperties
          ? schema.maxProperties
          : Object.keys(schema.properties ?? {}).length,
        integer: schema.maximum,
        number: schema.maximum,
        boolean: 2,
      }[schema.type ?? 'object']
      expect(bound, path).toBeGreaterThan(0)
    }
  })

  test('declares how its lists are merged', () => {
    for (const { path, schema } of fieldsOf(kind, 'spec')) {
      if (schema.type === 'array') expect(schema['x-kubernetes-list-type'], path).toBeDefined()
    }
  })

  test('has a message for every rule', () => {
    for (const { path, schema } of fieldsOf(kind, 'spec')) {
      for (const rule of schema['x-kubernetes-validations'] ?? []) {
        expect(rule.message, path).toBeTruthy()
      }
    }
  })

  test('has columns of existing fields', () => {
    const paths = new Set(
      [...fieldsOf(kind, 'spec'), ...fieldsOf(kind, 'status')].map(({ path }) => path),
    )
    const types = conditionsByKind[kind.kind]?.all.map(({ type }) => type) ?? []
    for (const { name, jsonPath } of kind.columns) {
      const [, type] = /\[\?\(@\.type=="(.*)"\)\]/.exec(jsonPath) ?? []
      if (type) expect(types, name).toContain(type)
      expect(paths, name).toContain(jsonPath.replace(/\[\?.*?\]/, '[]'))
    }
  })

  test('has a CRD that is much smaller than a request may be', () => {
    const size = JSON.stringify(customResourceDefinition(kind)).length
    expect(size).toBeLessThan(64 * 1024)
  })
})

describe('GitTarget', () => {
  test('has columns for the most important fields', () => {
    const glance = gitTarget.columns.filter(({ priority = 0 }) => priority === 0)
    expect(glance.map(({ name }) => name)).toEqual([
      'Ready',
      'Reason',
      'Phase',
      'Branch',
      'Path',
      'Commit',
      'Pending',
    ])
  })

  test('has the clock fields that it declares', () => {
    const times = fieldsOf(gitTarget, 'status').filter(
      ({ schema }) => schema.format === 'date-time',
    )
    const paths = times.map(({ path }) => path.replace('.status.', ''))
    expect(paths).toEqual(
      expect.arrayContaining([...gitTargetClock.stamped, ...gitTargetClock.passive]),
    )
  })
})
