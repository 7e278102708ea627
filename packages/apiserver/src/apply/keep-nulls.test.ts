import type { KubeObject } from '@agents/kube'
import { expect, test } from 'vitest'
import { keepNulls } from './keep-nulls.ts'

const rows: readonly (readonly [
  because: string,
  merged: object,
  defaulted: object,
  kept: object,
])[] = [
  ['a null that was dropped comes back', { a: null, b: 1 }, { b: 1 }, { a: null, b: 1 }],
  ['a null that took a default keeps it', { a: null }, { a: 'x' }, { a: 'x' }],
  ['so do those further down', { a: { b: null } }, { a: {} }, { a: { b: null } }],
  ['and those in items', { a: [{ b: null }] }, { a: [{ c: 1 }] }, { a: [{ b: null, c: 1 }] }],
]

test.each(rows)('%s', (_because, merged, defaulted, kept) => {
  keepNulls(defaulted as unknown as KubeObject, merged as unknown as KubeObject)
  expect(defaulted).toEqual(kept)
})
