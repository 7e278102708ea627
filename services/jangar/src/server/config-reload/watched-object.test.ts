import { describe, expect, test } from 'vitest'
import type { Content } from './content-digest.ts'
import { Baseline } from './watched-object.ts'

const secret = (
  parts: Omit<Content, 'apiVersion' | 'kind' | 'metadata'>,
  labels = {},
): Content => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a', labels },
  ...parts,
})

describe('a change of configuration', () => {
  const first = secret({ data: { a: 'MQ==', b: 'Mg==' } })

  test.each<{
    because: string
    keys?: readonly string[]
    states: readonly (Content | undefined)[]
    changes: readonly boolean[]
  }>([
    {
      because: 'what is seen first is what the process has',
      states: [first, first],
      changes: [false, false],
    },
    {
      because: 'labels reach no variable',
      states: [first, secret({ data: { a: 'MQ==', b: 'Mg==' } }, { changed: 'yes' })],
      changes: [false, false],
    },
    {
      because: 'the order of keys is no content',
      states: [first, secret({ data: { b: 'Mg==', a: 'MQ==' } })],
      changes: [false, false],
    },
    {
      because: 'a value, a key more and a key less are content',
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
      because: 'bytes count, and are not the text of the same name',
      states: [secret({ data: { a: 'MQ==' } }), secret({ binaryData: { a: 'MQ==' } })],
      changes: [false, true],
    },
    {
      because: 'keys that nobody uses do not count',
      keys: ['a'],
      states: [first, secret({ data: { a: 'MQ==', b: 'Mw==' } }), secret({ data: { a: 'Mg==' } })],
      changes: [false, false, true],
    },
    {
      because: 'what was missing and appears is new to the process',
      states: [undefined, undefined, first],
      changes: [false, false, true],
    },
    {
      because: 'a process keeps what is taken away, and need not end when it comes back as it was',
      states: [first, undefined, first, undefined, secret({ data: { a: 'Mg==' } })],
      changes: [false, false, false, false, true],
    },
  ])('$because', ({ keys = [], states, changes }) => {
    const baseline = new Baseline(keys)
    expect(states.map((state) => baseline.differsFrom(state))).toEqual(changes)
  })
})
