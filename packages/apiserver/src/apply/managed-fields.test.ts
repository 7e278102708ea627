import { describe, expect, test } from 'vitest'
import { type Body, Widget, widgetResource, widgetSchema } from './testing/widget.ts'

function spec(fields: Body): Body {
  return { spec: fields }
}

describe('an updater', () => {
  test('owns the fields that it changed, and previous owners lose them', () => {
    const widget = new Widget()
    widget.apply('one', spec({ title: 'x', tags: ['a'] }))
    widget.update('two', spec({ title: 'y', tags: ['a', 'b'] }))
    expect(widget.owners).toEqual([
      'one Apply: .spec.tags[="a"]',
      'two Update: .spec.title .spec.tags[="b"]',
    ])
    widget.update('two', spec({}))
    expect(widget.owners).toEqual([])
  })

  test('has one entry for all its changes, with the time of the last', () => {
    const widget = new Widget()
    widget.update('one', spec({ title: 'x' }))
    widget.now = new Date('2031-01-01T00:00:00.750Z')
    const { metadata } = widget.update('one', spec({ title: 'x', replicas: 1 }))
    expect(metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Update',
        apiVersion: 'example.dev/v1',
        time: '2031-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { '.': {}, 'f:replicas': {}, 'f:title': {} } },
      },
    ])
  })

  test('beyond the tenth makes the oldest entries be merged', () => {
    const widget = new Widget()
    const config: Record<string, string> = {}
    for (let index = 0; index < 13; index++) {
      widget.now = new Date(Date.UTC(2030, 0, 1, 0, 0, index))
      config[`k${index}`] = 'x'
      widget.update(`m${index}`, spec({ config: { ...config } }))
    }
    expect(widget.owners).toHaveLength(10)
    expect(widget.owners[0]).toBe(
      'ancient-changes Update: .spec .spec.config .spec.config.k0 .spec.config.k1 .spec.config.k2 .spec.config.k3',
    )
  })

  test('leaves an object without owners if it does not match its schema', () => {
    const widget = new Widget()
    widget.apply('one', spec({ title: 'x' }))
    expect(widget.update('two', spec({ tags: [null] })).metadata.managedFields).toBeUndefined()
  })
})

describe('managedFields that a client sends', () => {
  const written = {
    manager: 'written',
    operation: 'Update',
    apiVersion: 'example.dev/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:title': {} } },
  }
  const one = 'one Update: .spec .spec.title'
  const rows: readonly { because: string; entries: unknown; owners: string[] }[] = [
    { because: 'one empty entry resets all owners', entries: [{}], owners: [] },
    { because: 'an empty list is dropped from a custom resource', entries: [], owners: [one] },
    { because: 'null counts as absent', entries: null, owners: [one] },
    {
      because: 'valid entries are accepted',
      entries: [written],
      owners: ['written Update: .spec.title'],
    },
    {
      because: 'an unknown operation makes all entries invalid',
      entries: [{ ...written, operation: 'Read' }],
      owners: [one],
    },
    {
      because: 'an unknown format makes all entries invalid',
      entries: [{ ...written, fieldsType: 'FieldsV2' }],
      owners: [one],
    },
    { because: 'a version is needed', entries: [{ ...written, apiVersion: '' }], owners: [one] },
    {
      because: 'fields must be readable',
      entries: [{ ...written, fieldsV1: { x: {} } }],
      owners: [one],
    },
    {
      because: 'entries of versions that are not served are dropped',
      entries: [{ ...written, apiVersion: 'example.dev/v0' }],
      owners: [],
    },
  ]
  test.each(rows)('$because', ({ entries, owners }) => {
    const widget = new Widget()
    widget.update('one', spec({ title: 'x' }))
    widget.update('two', spec({ title: 'x' }), { managedFields: entries })
    expect(widget.owners).toEqual(owners)
  })

  test('an object without owners gets one for all its fields before the first apply', () => {
    const widget = new Widget()
    widget.update('one', spec({ title: 'x' }))
    widget.update('two', spec({ title: 'x' }), { managedFields: [{}] })
    widget.update('three', spec({ title: 'x', replicas: 1 }))
    expect(widget.owners).toEqual([])
    widget.apply('four', spec({ words: ['w'] }))
    expect(widget.owners).toEqual([
      'four Apply: .spec.words',
      'before-first-apply Update: .spec .spec.replicas .spec.title',
    ])
  })
})

describe('schemas and versions', () => {
  test('an owner of parts of a field that has become atomic owns all of it', () => {
    const widget = new Widget()
    widget.apply('one', spec({ config: { a: 'x' } }))
    const atomic = structuredClone(widgetSchema)
    const config = atomic.properties?.spec?.properties?.config
    if (config !== undefined) config['x-kubernetes-map-type'] = 'atomic'
    widget.resource = widgetResource('v1', atomic)
    widget.update('two', spec({ config: { a: 'x' }, title: 'x' }))
    expect(widget.owners).toEqual(['one Apply: .spec.config', 'two Update: .spec.title'])
  })

  test('an applier is the same manager in all versions, and others keep their fields', () => {
    const widget = new Widget({
      otherVersion: (_resource, apiVersion) => ({
        resource: widgetResource(apiVersion === 'example.dev/v1' ? 'v1' : 'v2'),
      }),
    })
    widget.apply('one', spec({ title: 'x', replicas: 1 }))
    widget.apply('two', spec({ replicas: 1 }))
    widget.resource = widgetResource('v2')
    widget.apply('one', spec({ words: ['w'] }))
    expect(widget.spec).toEqual({ replicas: 1, words: ['w'] })
    expect(widget.owners.toSorted()).toEqual([
      'one Apply: .spec.words',
      'two Apply: .spec.replicas',
    ])
  })
})
