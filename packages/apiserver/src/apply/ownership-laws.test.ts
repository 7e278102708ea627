import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../endpoints/api-error.ts'
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
const some = (fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<Body> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Body>
const filled = (body: fc.Arbitrary<Body>) => body.filter((each) => Object.keys(each).length > 0)
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

const texts = (set: FieldSet): string[] => pathsOf(set).map(displayPath)

describe('whatever was written before', () => {
  test('applying the same again changes nothing at all', () => {
    fc.assert(
      fc.property(history, manager, body, (writes, applier, wish) => {
        const widget = written(writes)
        widget.apply(applier, wish, true)
        const once = widget.live
        widget.now = new Date('2031-01-01T00:00:00Z')
        widget.apply(applier, wish)
        expect(widget.live).toEqual(once)
      }),
    )
  })

  test('an applier owns exactly what it applied, and that is in the object', () => {
    fc.assert(
      fc.property(history, manager, body, (writes, applier, wish) => {
        const widget = written(writes)
        widget.apply(applier, wish, true)
        const wished = fieldSetOf(type, wish)
        const owned = ownedBy(
          widget,
          (name, operation) => name === applier && operation === 'Apply',
        )
        expect(texts(owned)).toEqual(texts(wished))
        expect(texts(difference(wished, fieldsIn(widget.live)))).toEqual([])
      }),
    )
  })

  test('every field of the object has an owner', () => {
    fc.assert(
      fc.property(history, (writes) => {
        // Whoever empties a map by an update comes to own nothing of it.
        fc.pre(writes.every((each) => each.apply || !isEmpty(each.body)))
        const widget = written(writes)
        const owned = ownedBy(widget, () => true)
        // What an applier takes out of a map may leave it empty, and an empty map need not be anybody's.
        const filled = { spec: withoutEmpty((widget.live?.spec ?? {}) as Json) ?? {} }
        expect(texts(difference(fieldSetOf(type, filled), owned)).filter(isLeafText)).toEqual([])
      }),
    )
  })

  test('an applier that lets go of everything removes what it owned alone and nothing else', () => {
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
        // An item or entry takes along what others have in it.
        const items = setOf(...pathsOf(alone).filter(isItem))
        const kept = recursiveDifference(difference(before, alone), items)
        expect(texts(difference(kept, left))).toEqual([])
        expect(texts(ownedBy(widget, () => true))).toEqual(
          texts(recursiveDifference(others, items)),
        )
      }),
    )
  })

  test('an apply without force leaves what others own untouched, or is a conflict', () => {
    fc.assert(
      fc.property(history, manager, body, (writes, applier, wish) => {
        // An object that an update left without any owner gets one, before-first-apply, with the next apply.
        fc.pre(writes.every((each) => each.apply || !isEmpty(each.body)))
        const widget = written(writes)
        const isOther = (name: string, operation: string) =>
          name !== applier || operation !== 'Apply'
        const before = ownedBy(widget, isOther)
        const mine = ownedBy(widget, (name, operation) => !isOther(name, operation))
        // An item or entry that the applier lets go of takes along what others have in it.
        const released = difference(difference(mine, before), fieldSetOf(type, wish))
        const items = setOf(...pathsOf(released).filter(isItem))
        const kept = recursiveDifference(before, items)
        try {
          widget.apply(applier, wish)
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

/** The value without maps and lists that hold nothing; `undefined` when nothing is left. */
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

/** Updaters own also the way to what they set, which is no field of its own in the object. */
function isLeafText(path: string): boolean {
  return !/^\.spec(\.(config|part|tags|ports|free))?$/.test(path)
}
