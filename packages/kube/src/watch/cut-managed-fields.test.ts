import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutManagedFields } from './cut-managed-fields.ts'

const managedFields = [
  {
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:name': {}, 'f:uid': {} }, 'f:list': { 'v:"],"': {} } },
    manager: 'kubectl',
    operation: 'Update',
  },
  { fieldsV1: { 'f:conditions': { 'k:{"type":"]},\\"a"}': { '.': {} } } }, manager: ']},' },
]
const name = { name: 'x', namespace: 'agents' }
const version = { resourceVersion: '1' }
const uid = { uid: 'u' }

/** The text of an event, with the fields in the given order. */
function event(object: object, type = 'ADDED'): string {
  return JSON.stringify({ type, object: { kind: 'Thing', apiVersion: 'v1', ...object } })
}

/** The metadata in the orders of kube-apiserver and of the embedded server after creates and updates. */
const orders = {
  sorted: (own: object) => ({ generation: 1, ...own, ...name, ...version, ...uid }),
  created: (own: object) => ({ ...name, ...own, ...uid, ...version }),
  updated: (own: object) => ({ ...name, ...uid, ...version, ...own }),
}

describe.each(Object.entries(orders))('of metadata that is %s', (_order, metadata) => {
  test('removes managedFields', () => {
    const spec = { managedFields: [1], name: 'y', resourceVersion: '2' }
    expect(cutManagedFields(event({ metadata: metadata({ managedFields }), spec }))).toBe(
      event({ metadata: metadata({}), spec }),
    )
  })

  test('removes nothing else, whatever the strings of an object contain', () => {
    fc.assert(
      fc.property(objects, ({ before, entries, spec }) => {
        const own = entries === null ? {} : { managedFields: entries }
        const withThem = { metadata: { ...before, ...metadata(own) }, spec }
        const without = { metadata: { ...before, ...metadata({}) }, spec }
        const parsed = JSON.parse(cutManagedFields(event(withThem)))
        // Labels may look like fields of the metadata, and then nothing is removed.
        expect([JSON.parse(event(withThem)), JSON.parse(event(without))]).toContainEqual(parsed)
      }),
      { numRuns: 300 },
    )
  })
})

test.each([
  ['none in the metadata', { metadata: { ...name, ...version }, spec: { managedFields, a: 1 } }],
  ['fields before the metadata', { data: { managedFields, ...version }, metadata: name }],
  ['an unusual order', { metadata: { ...version, ...name, managedFields }, spec: { a: 'y' } }],
  ['no version', { metadata: { managedFields, ...name }, spec: { a: 1 } }],
  ['nothing after them', { metadata: { ...version, managedFields } }],
])('leaves an object as it is with %s', (_case, object) => {
  expect(cutManagedFields(event(object))).toBe(event(object))
})

const words = [
  '"',
  '\\',
  ']',
  '}',
  ',',
  'managedFields":[',
  '],"name":"',
  'resourceVersion":"',
  'x',
]
const text = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((parts) => parts.join(''))
const key = fc.oneof(text, fc.constantFrom('managedFields', 'resourceVersion', 'uid'))
const strings = fc.dictionary(key, text, { maxKeys: 3 })
const fields = fc.letrec((tie) => ({
  node: fc.dictionary(
    text.map((each) => `f:${each}`),
    fc.oneof({ maxDepth: 3 }, fc.constant({}), tie('node')),
    { maxKeys: 3 },
  ),
})).node
const objects = fc.record({
  before: fc.record({ annotations: strings, labels: strings }),
  entries: fc.option(fc.array(fc.record({ fieldsV1: fields, manager: text }), { maxLength: 3 })),
  spec: fc.record({ managedFields: fc.array(strings), resourceVersion: text, name: text }),
})
