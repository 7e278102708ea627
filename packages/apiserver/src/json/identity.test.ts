import type { Json } from '@agents/crd'
import { sameJson } from '@agents/kube'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { identityOf } from './identity.ts'

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<Json>(
      null,
      true,
      false,
      0,
      -0,
      1,
      1n,
      1.5,
      2 ** 60,
      2n ** 60n,
      '',
      '1',
      'a',
      'null',
    ),
    fc.array(tie('json'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '"'), tie('json'), { noNullPrototype: true }),
  ),
}))

test('is equal exactly for equal values', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(identityOf(a) === identityOf(b)).toBe(sameJson(a, b))
    }),
    { numRuns: 3000 },
  )
})
