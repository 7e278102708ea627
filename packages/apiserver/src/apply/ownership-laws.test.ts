import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../status/api-error.ts'
import {
  difference,
  emptySet,
  type FieldSet,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
} from './field-set.ts'
import { fieldSetOf } from './field-set-of.ts'
import { createFieldTypes } from './field-type.ts'
import { decodeFields } from './fields-v1.ts'
import { displayPath } from './path-element.ts'
import { type Body, Widget, widgetSchema } from './testing/widget.ts'

const word = fc.constantFrom('x', 'y', 'z')
const words = fc.uniqueArray(word, { minLength: 1, maxLength: 3 })
function some(fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<Body> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Body>
}
function filled(body: fc.Arbitrary<Body>) {
  return body.filter((each) => Object.keys(each).length > 0)
}
const dictionary = filled(some({ k1: word, k2: word, k3: word }))

const spec = some({
  title: word,
  replicas: fc.nat(2),
  config: dictionary,
  part: filled(some({ a: word, b: word })),
  whole: dictionary,
  tags: words,
  words,
  ports: fc.uniqueArray(
    fc.record(
      { port: fc.nat(2), protocol: fc.constantFrom('TCP', 'UDP'), name: word },
      { requiredKeys: ['port', 'protocol'] },
    ),
    { minLength: 1, maxLength: 3, selector: ({ port, protocol }) => `${port}/${protocol}` },
  ) as fc.Arbitrary<Json>,
  free: filled(some({ a: fc.oneof(word, words, dictionary), b: dictionary })),
})
const body = spec.map((fields) => ({ spec: fields }))
const manager = fc.constantFrom('one', 'two', 'three')
const write = fc.record({ apply: fc.boolean(), manager, body })
const history = fc.array(write, { minLength: 1, maxLength: 5 })

const type = createFieldTypes().ofCustomResource(widgetSchema)

function written(writes: readonly { apply: boolean; manager: string; body: Body }[]): Widget {
  const widget = new Widget()
  for (const each of writes) {
    if (each.apply) widget.apply(each.manager, each.body, true)
    else widget.update(each.manager, each.body)
  }
  return widget
}

function ownedBy(
  widget: Widget,
  isOwner: (manager: string, operation: string) => boolean,
): FieldSet {
  const entries = widget.live?.metadata.managedFields ?? []
  return entries
    .filter((entry) => isOwner(entry.manager ?? '', entry.operation ?? ''))
    .map((entry) => decodeFields((entry.fieldsV1 ?? {}) as Json))
    .reduce(union, emptySet)
}

function fieldsIn(object: KubeObject | undefined): FieldSet {
  return fieldSetOf(type, { spec: (object?.spec ?? {}) as Json })
}

function texts(set: FieldSet): string[] {
  return pathsOf(set).map(displayPath)
}

describe('for any history', () => {
  test('applying the same configuration again changes nothing', () => {
    fc.assert(
      fc.property(history, manager, body, (writes, applier, desired) => {
        const widget = written(writes)
        widget.apply(applier, desired, true)
        const once = widget.live
        widget.now = new Date('2031-01-01T00:00:00Z')
        widget.apply(applier, desired)
        expect(widget.live).toEqual(once)
      }),
    )
  })

  test('an applier owns exactly the fields that it applied, and they are in the object', () => {
    fc.assert(
      fc.property(history, manager, body, (writes, applier, desired) => {
        const widget = written(writes)
        widget.apply(applier, desired, true)
        const desiredFields = fieldSetOf(type, desired)
        const owned = ownedBy(
          widget,
          (name, operation) => name === applier && operation === 'Apply',
        )
        expect(texts(owned)).toEqual(texts(desiredFields))
        expect(texts(difference(desiredFields, fieldsIn(widget.live)))).toEqual([])
      }),
    )
  })

  test('every field of the object has an owner', () => {
    fc.assert(
      fc.property(history, (writes) => {
        // An update that empties a map does not make its manager an owner of it.
        fc.pre(writes.every((each) => each.apply || !isEmpty(each.body)))
        const widget = written(writes)
        const owned = ownedBy(widget, () => true)
        // A map from which an applier removed the last field may have no owner.
        const filled = { spec: withoutEmpty((widget.live?.spec ?? {}) as Json) ?? {} }
        expect(texts(difference(fieldSetOf(type, filled), owned)).filter(isLeafText)).toEqual([])
      }),
    )
  })

  test('an applier of an empty configuration removes exactly the fields that only it owned', () => {
    fc.assert(
      fc.property(history, manager, (writes, applier) => {
        const widget = written(writes)
        const mine = ownedBy(widget, (name, operation) => name === applier && operation === 'Apply')
        const others = ownedBy(
          widget,
          (name, operation) => name !== applier || operation !== 'Apply',
        )
        const before = fieldsIn(widget.live)
        widget.apply(applier, {})
        const left = fieldsIn(widget.live)
        const alone = difference(mine, others)
        const leaves = pathsOf(alone).filter((path) => !hasBelow(others, path))
        for (const path of leaves) expect(texts(left)).not.toContain(displayPath(path))
        // Removing an item or entry removes the fields of others in it.
        const items = setOf(...pathsOf(alone).filter(isItem))
        const kept = recursiveDifference(difference(before, alone), items)
        expect(texts(difference(kept, left))).toEqual([])
        expect(texts(ownedBy(widget, () => true))).toEqual(
          texts(recursiveDifference(others, items)),
        )
      }),
    )
  })

  test('an apply without force does not change fields of others, or is a conflict', () => {
    fc.assert(
      fc.property(history, manager, body, (writes, applier, desired) => {
        // An object without owners gets the owner before-first-apply with the next apply.
        fc.pre(writes.every((each) => each.apply || !isEmpty(each.body)))
        const widget = written(writes)
        const isOther = (name: string, operation: string) =>
          name !== applier || operation !== 'Apply'
        const before = ownedBy(widget, isOther)
        const mine = ownedBy(widget, (name, operation) => !isOther(name, operation))
        // Removing an item or entry of the applier removes the fields of others in it.
        const released = difference(difference(mine, before), fieldSetOf(type, desired))
        const items = setOf(...pathsOf(released).filter(isItem))
        const kept = recursiveDifference(before, items)
        try {
          widget.apply(applier, desired)
        } catch (error) {
          expect((error as ApiError).code).toBe(409)
          expect(error).toBeInstanceOf(ApiError)
          return
        }
        expect(texts(ownedBy(widget, isOther))).toEqual(texts(kept))
        expect(texts(difference(kept, fieldsIn(widget.live))).filter(isLeafText)).toEqual([])
      }),
    )
  })
})

function isEmpty({ spec: fields }: Body): boolean {
  return Object.keys(fields as object).length === 0
}

/** Removes empty maps and lists; returns `undefined` if nothing is left. */
function withoutEmpty(value: Json): Json | undefined {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined)
    return items.length === 0 ? undefined : items
  }
  const members = Object.entries(value)
    .map(([key, member]) => [key, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined)
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Json)
}

function hasBelow(set: FieldSet, path: readonly string[]): boolean {
  let level: FieldSet | undefined = set
  for (const element of path) level = level?.get(element)?.children
  return (level?.size ?? 0) > 0
}

function isItem(path: readonly string[]): boolean {
  return path.at(-1)?.startsWith('f:') !== true || path[1] === 'f:config' || path[1] === 'f:free'
}

/** Updaters also own the parents of the fields that they set, which are not fields of the object themselves. */
function isLeafText(path: string): boolean {
  return !/^\.spec(\.(config|part|tags|ports|free))?$/.test(path)
}
