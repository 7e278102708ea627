import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import type { Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { ruledSchema } from './ruled-schema.ts'
import { conformance, type Row } from './suite.ts'
import { definitionOf, serve } from './widget.ts'

conformance('rules', ({ client, namespace, group, same, sameEach }) => {
  const path = `/apis/${group}/v1/namespaces/${namespace}/ruled`
  const ruled = (spec: Json, name = 'a'): Fields => ({
    apiVersion: `${group}/v1`,
    kind: 'Ruled',
    metadata: { name },
    spec,
  })

  test('a kind with rules is served', async () => {
    await serve(
      client,
      definitionOf(group, { plural: 'ruled', kind: 'Ruled', schema: ruledSchema }),
    )
    const spec = { fixed: 'x', max: 5, ports: [{ name: 'a', port: 5 }], once: 'x' }
    expect((await client.send('POST', path, ruled(spec, 'there'))).code).toBe(201)
    expect((await client.send('POST', path, ruled({}, 'bare'))).code).toBe(201)
  })

  describe('create', () => {
    const specs: readonly (readonly [string, number, Json])[] = [
      [
        'a rule that holds',
        201,
        { min: 1, max: 2, name: 'abc', list: [2, 4], map: { a: 'b' }, port: 5 },
      ],
      ['a rule across fields', 422, { min: 3, max: 2 }],
      ['a rule of a field', 422, { name: 'b' }],
      ['a rule with a message of its own', 422, { told: 'abcdef' }],
      ['a rule without a message', 422, { plain: 'abcdef' }],
      ['a rule with a reason and a path', 422, { reasons: { a: 'required' } }],
      ['a rule that forbids', 422, { reasons: { a: 'forbidden' } }],
      ['a rule against duplicates', 422, { reasons: { a: 'duplicate' } }],
      ['a rule of items', 422, { list: [2, 3, 5] }],
      ['a rule of a list', 422, { list: [-2] }],
      ['a rule of a map', 422, { map: { Upper: 'x' } }],
      ['a quantity', 422, { quantity: '3Gi' }],
      ['an invalid quantity', 422, { quantity: 'much' }],
      ['a quantity that is small', 201, { quantity: '500Mi' }],
      ['a number of a number or text', 422, { port: 100 }],
      ['text of a number or text', 422, { port: 'x' }],
      ['a time', 422, { when: '2031-01-01T00:00:00Z' }],
      ['an invalid time', 422, { when: 'x' }],
      ['a duration', 422, { wait: '2h' }],
      ['a URL', 422, { url: 'http://a.dev' }],
      ['an escaped name', 422, { 'odd-name': 'bad' }],
      ['a reserved name', 422, { in: 'bad' }],
      ['a division by zero', 422, { divided: 0 }],
      ['a transition rule, which does not hold for what is new', 201, { fixed: 'anything' }],
      ['several rules at once', 422, { min: 3, max: 2, name: 'b', list: [3] }],
      ['a rule and a schema at once', 422, { min: 'x', max: 2, name: 'b' }],
      ['null for what has a rule', 201, { name: null }],
    ]
    sameEach(
      specs.map(
        ([what, code, spec]): Row => [what, code, 'POST', `${path}?dryRun=All`, ruled(spec)],
      ),
    )
    same('a rule about the name', 422, () => client.send('POST', path, ruled({}, 'much-too-long')))
  })

  describe('update', () => {
    const patches: readonly (readonly [string, number, string, Json])[] = [
      ['a transition that is allowed', 200, 'there', { spec: { ports: [{ name: 'a', port: 6 }] } }],
      ['a field that is fixed', 422, 'there', { spec: { fixed: 'y' } }],
      ['a field that is fixed may go', 200, 'there', { spec: { fixed: null } }],
      ['a field that is fixed may come', 200, 'bare', { spec: { fixed: 'y' } }],
      ['a field that is set once', 422, 'there', { spec: { once: 'y' } }],
      ['a field that is set once may come', 200, 'bare', { spec: { once: 'y' } }],
      [
        'an item found by its key',
        422,
        'there',
        {
          spec: {
            ports: [
              { name: 'b', port: 1 },
              { name: 'a', port: 4 },
            ],
          },
        },
      ],
      [
        'a new item',
        200,
        'there',
        {
          spec: {
            ports: [
              { name: 'a', port: 5 },
              { name: 'b', port: 1 },
            ],
          },
        },
      ],
      ['a field that may not be removed', 422, 'there', { spec: { max: null } }],
      ['a label', 200, 'there', { metadata: { labels: { a: 'b' } } }],
      ['a rule across fields after a patch', 422, 'there', { spec: { min: 9 } }],
    ]
    sameEach(
      patches.map(
        ([what, code, name, patch]): Row => [
          what,
          code,
          'PATCH',
          `${path}/${name}?dryRun=All`,
          patch,
          merge,
        ],
      ),
    )
  })
})
