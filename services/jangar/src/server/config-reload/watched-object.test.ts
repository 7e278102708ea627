import { describe, expect, test } from 'vitest'
import type { Content } from './content-digest.ts'
import { Baseline } from './watched-object.ts'

function secret(parts: Omit<Content, 'apiVersion' | 'kind' | 'metadata'>, labels = {}): Content {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', labels },
    ...parts,
  }
}

describe('a change of configuration', () => {
  const first = secret({ data: { a: 'MQ==', b: 'Mg==' } })

  test.each<{
    because: string
    keys?: readonly string[]
    states: readonly (Content | undefined)[]
    changes: readonly boolean[]
  }>([
    {
      because: 'the first state is the baseline',
      states: [first, first],
      changes: [false, false],
    },
    {
      because: 'labels do not count',
      states: [first, secret({ data: { a: 'MQ==', b: 'Mg==' } }, { changed: 'yes' })],
      changes: [false, false],
    },
    {
      because: 'the order of keys does not count',
      states: [first, secret({ data: { b: 'Mg==', a: 'MQ==' } })],
      changes: [false, false],
    },
    {
      because: 'changed values and added or removed keys count',
      states: [
        first,
        secret({ data: { a: 'MQ==', b: 'Mw==' } }),
        secret({ data: { a: 'MQ==', b: 'Mg==', c: '' } }),
        secret({ data: { a: 'MQ==' } }),
        secret({}),
      ],
      changes: [false, true, true, true, true],
    },
    {
      because: 'binary data counts, and differs from text under the same key',
      states: [secret({ data: { a: 'MQ==' } }), secret({ binaryData: { a: 'MQ==' } })],
      changes: [false, true],
    },
    {
      because: 'unused keys do not count',
      keys: ['a'],
      states: [first, secret({ data: { a: 'MQ==', b: 'Mw==' } }), secret({ data: { a: 'Mg==' } })],
      changes: [false, false, true],
    },
    {
      because: 'an object that is created later counts',
      states: [undefined, undefined, first],
      changes: [false, false, true],
    },
    {
      because: 'a deleted object does not count, nor does one that is recreated unchanged',
      states: [first, undefined, first, undefined, secret({ data: { a: 'Mg==' } })],
      changes: [false, false, false, false, true],
    },
  ])('$because', ({ keys = [], states, changes }) => {
    const baseline = new Baseline(keys)
    expect(states.map((state) => baseline.differsFrom(state))).toEqual(changes)
  })
})
