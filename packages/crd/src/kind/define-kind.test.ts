import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  integer,
  list,
  object,
  oneOfStrings,
  optional,
  string,
  withDefault,
} from './build-schema.ts'
import { customResourceDefinition } from './custom-resource-definition.ts'
import { defineKind, type ObjectOf } from './define-kind.ts'
import { statusObject } from './status-schema.ts'

const widget = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  shortNames: ['wd'],
  scope: 'Namespaced',
  description: 'A thing.',
  spec: object('What is wanted.', {
    size: integer('How large.', { minimum: 1 }),
    colour: withDefault(oneOfStrings('Which colour.', ['red', 'blue']), 'red'),
    tags: optional(list('Free words.', string('A word.'))),
  }),
  status: statusObject({ phase: optional(string('Where it stands.')) }),
  columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  summary: 'Ready',
})

type Widget = ObjectOf<typeof widget>

describe('a declared kind', () => {
  test('gives the type of its objects', () => {
    expectTypeOf<Widget['spec']>().toEqualTypeOf<{
      size: number
      colour: 'red' | 'blue'
      tags?: string[]
    }>()
    expectTypeOf<NonNullable<Widget['status']>['phase']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<NonNullable<Widget['status']>['observedGeneration']>().toEqualTypeOf<
      number | undefined
    >()
  })

  test('requires fields that are neither optional nor defaulted', () => {
    expect(widget.schema.required).toEqual(['spec'])
    expect(widget.schema.properties?.spec?.required).toEqual(['size'])
  })

  test('has the observed generation -1 before the first reconcile', () => {
    expect(widget.schema.properties?.status?.default).toEqual({ observedGeneration: -1 })
  })

  test('gives a definition with annotations that keep tools from deleting it', () => {
    const { metadata, spec } = customResourceDefinition(widget)
    expect(metadata).toEqual({
      name: 'widgets.example.dev',
      annotations: {
        'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
        'argocd.argoproj.io/sync-options': 'Prune=false,ServerSideApply=true',
        'helm.sh/resource-policy': 'keep',
      },
    })
    expect(spec.names).toEqual({
      kind: 'Widget',
      listKind: 'WidgetList',
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['wd'],
    })
    expect(spec.versions[0]?.additionalPrinterColumns.map(({ name }) => name)).toEqual([
      'Size',
      'Age',
    ])
  })
})
