import type { KubeObject } from '@agents/kube'
import { expect, test } from 'vitest'
import { keepNulls } from './keep-nulls.ts'

const rows: readonly (readonly [
  because: string,
  merged: object,
  defaulted: object,
  kept: object,
])[] = [
  ['a dropped null is restored', { a: null, b: 1 }, { b: 1 }, { a: null, b: 1 }],
  ['a null that was defaulted keeps the default', { a: null }, { a: 'x' }, { a: 'x' }],
  ['a nested null is restored', { a: { b: null } }, { a: {} }, { a: { b: null } }],
  [
    'a null in a list item is restored',
    { a: [{ b: null }] },
    { a: [{ c: 1 }] },
    { a: [{ b: null, c: 1 }] },
  ],
]

test.each(rows)('%s', (_because, merged, defaulted, kept) => {
  keepNulls(defaulted as unknown as KubeObject, merged as unknown as KubeObject)
  expect(defaulted).toEqual(kept)
})
