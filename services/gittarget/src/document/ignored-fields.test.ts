import { describe, expect, test } from 'vitest'
import { parseFieldPath, withFieldsOf, withoutFields } from './ignored-fields.ts'
import type { JsonMap } from './json.ts'

const containers = [
  { name: 'web', image: 'web:1' },
  { name: 'side', image: 'side:1' },
]
const object: JsonMap = {
  metadata: { name: 'a', annotations: { 'example.test/x': '1', y: '2' } },
  spec: { replicas: 3, containers },
}

function without(...pointers: string[]): JsonMap {
  return withoutFields(object, pointers.map(parseFieldPath))
}

describe('ignored fields', () => {
  test('are removed, with maps that become empty', () => {
    expect(without('/spec/replicas').spec).toEqual({ containers })
    expect(without('/metadata/annotations/example.test~1x').metadata).toEqual({
      name: 'a',
      annotations: { y: '2' },
    })
    expect(without('/metadata/annotations/*').metadata).toEqual({ name: 'a' })
  })

  test('are found in the items of a list', () => {
    expect(without('/spec/containers/*/image').spec).toEqual({
      replicas: 3,
      containers: [{ name: 'web' }, { name: 'side' }],
    })
    expect(without('/spec/containers/1').spec).toMatchObject({ containers: [{ name: 'web' }] })
  })

  test.each(['/spec/missing', '/spec/replicas/x', '/spec/containers/name', '/__proto__/x'])(
    'change nothing if %s does not exist',
    (pointer) => {
      expect(without(pointer)).toEqual(object)
    },
  )

  test('keep the values that a file has', () => {
    const file: JsonMap = {
      spec: {
        replicas: 5,
        containers: [
          { name: 'side', image: 'side:9' },
          { name: 'web', image: 'web:9' },
        ],
      },
    }
    const paths = ['/spec/replicas', '/spec/containers/*/image'].map(parseFieldPath)
    const kept = withFieldsOf(withoutFields(object, paths), file, paths)
    expect(kept.spec).toEqual({
      replicas: 5,
      containers: [
        { name: 'web', image: 'web:9' },
        { name: 'side', image: 'side:9' },
      ],
    })
  })

  test('do not bring anything else from a file', () => {
    const file: JsonMap = { spec: { replicas: 5, other: true, containers: [] } }
    const paths = [parseFieldPath('/spec/replicas'), parseFieldPath('/spec/missing/deep')]
    expect(withFieldsOf({ kind: 'X' }, file, paths)).toEqual({ kind: 'X', spec: { replicas: 5 } })
  })
})

describe('large objects', () => {
  const mapOf = (members: number, value: string): JsonMap => ({
    data: Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${index}`, value])),
  })
  const all = [parseFieldPath('/data/*')]

  // Each member compared with each other one takes minutes.
  test('are emptied member by member', () => {
    expect(withoutFields(mapOf(400_000, 'a'), all)).toEqual({})
  })

  test('get the values of a file member by member', () => {
    const kept = withFieldsOf(mapOf(100_000, 'a'), mapOf(100_000, 'b'), all).data as JsonMap
    expect(new Set(Object.values(kept))).toEqual(new Set(['b']))
  })

  test('have each item of a list looked for once', () => {
    const count = 1000
    let reads = 0
    const items = (image: string) =>
      Array.from({ length: count }, (_, index) => ({
        get name() {
          reads += 1
          return `n${index}`
        },
        image,
      }))
    const path = [parseFieldPath('/items/*/image')]
    const kept = withFieldsOf({ items: items('a') }, { items: items('b').toReversed() }, path)
    expect(reads).toBeLessThanOrEqual(10 * count)
    expect(new Set((kept.items as JsonMap[]).map(({ image }) => image))).toEqual(new Set(['b']))
  })
})
