import type { Json } from '@agents/crd'
import { beforeAll, describe } from 'vitest'
import type { Fields } from './client.ts'
import { applied, json, merge, strategic } from './patch-formats.ts'
import { conformance, type Row } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

const invalidSpecs: readonly (readonly [string, Json])[] = [
  ['text for a number', { size: 'x' }],
  ['a fraction for a whole number', { size: 1.5 }],
  ['a number below its minimum', { size: -1 }],
  ['a number above its maximum', { size: 101 }],
  ['a number for text', { code: 5 }],
  ['a number for a boolean', { enabled: 1 }],
  ['text for a boolean', { enabled: 'true' }],
  ['a list for a map', { labels: [] }],
  ['a map for a list', { tags: {} }],
  ['text for a list', { tags: 'a' }],
  ['a value that is not one of the choices', { color: 'pink' }],
  ['text against its pattern', { code: 'ABC' }],
  ['text too short', { code: 'a' }],
  ['text too long', { code: 'abcdef' }],
  ['too many items', { words: ['a', 'b', 'c', 'd'] }],
  ['an item of a wrong type', { words: ['a', 1] }],
  ['a missing field', { settings: {} }],
  ['a missing field of an item', { ports: [{ name: 'x' }] }],
  ['an item of a set twice', { tags: ['a', 'b', 'a'] }],
  ['a key of a list twice', { ports: [{ port: 1 }, { port: 1, name: 'x' }] }],
  ['an invalid time', { when: 'yesterday' }],
  ['a number too large for its format', { replicas: 3_000_000_000 }],
  ['a boolean for a number or text', { port: true }],
  ['a fraction for a number or text', { port: 1.5 }],
  ['text for a map of anything', { free: 'x' }],
  ['a value of a map of a wrong type', { labels: { a: 1 } }],
  ['several faults at once', { size: 101, color: 'pink', code: 'A', settings: {} }],
  ['text for the whole', 'x'],
  ['a list for the whole', []],
]

const validSpecs: readonly (readonly [string, Json])[] = [
  ['numbers at their limits', { size: 100, ratio: 0.5, count: 1 }],
  ['a whole number written as a fraction', { size: 5.0 }],
  ['a number for a number or text', { port: 80 }],
  ['text for a number or text', { port: '80%' }],
  ['null where it may be', { nothing: null }],
  ['null where there is a default', { mode: null }],
  ['null where there is none', { color: null }],
  ['anything where anything may be', { free: { a: [1, { b: null }], c: 'x' } }],
  ['no list, no map', { tags: [], labels: {}, ports: [] }],
  ['a default inside a list', { ports: [{ port: 1 }, { port: 1, protocol: 'UDP' }] }],
  ['umlauts, counted as letters', { mode: 'ä'.repeat(10) }],
  ['an unknown field', { unknown: { deep: 1 }, size: 1 }],
  ['an unknown field of an item', { ports: [{ port: 1, unknown: true }] }],
]

conformance('validation', (suite) => {
  const { client, namespace, group, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await client.send('POST', path, widget('there', { spec: { size: 1 } }))
    await client.send('POST', maps, { metadata: { name: 'there' } })
  })

  sameEach(
    invalidSpecs.map(
      ([what, spec]): Row => [what, 422, 'POST', `${path}?dryRun=All`, widget('x', { spec })],
    ),
  )
  sameEach(
    validSpecs.map(
      ([what, spec]): Row => [what, 201, 'POST', `${path}?dryRun=All`, widget('x', { spec })],
    ),
  )

  describe('unknown and duplicate fields', () => {
    const bodies: readonly (readonly [string, (name: string) => string])[] = [
      [
        'an unknown field of the spec',
        (name) => JSON.stringify(widget(name, { spec: { unknown: 1, size: 2 } })),
      ],
      ['an unknown field of the root', (name) => JSON.stringify({ ...widget(name), unknown: 1 })],
      ['an unknown field of metadata', (name) => JSON.stringify(widget(name, {}, { unknown: 1 }))],
      [
        'an unknown field of an item',
        (name) =>
          JSON.stringify(
            widget(name, {
              spec: {
                ports: [
                  { port: 1, odd: 1 },
                  { port: 2, even: 1 },
                ],
              },
            }),
          ),
      ],
      [
        'several unknown fields',
        (name) => JSON.stringify(widget(name, { spec: { a: 1, b: { c: 2 } }, d: 3 })),
      ],
      [
        'unknown fields where all is allowed',
        (name) => JSON.stringify(widget(name, { spec: { free: { a: 1 } } })),
      ],
      [
        'a field twice',
        (name) =>
          `{"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"size":1,"size":2}}`,
      ],
      [
        'a field of metadata twice',
        (name) =>
          `{"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"${name}","name":"${name}"},"spec":{"size":1}}`,
      ],
      [
        'a field twice and an unknown one',
        (name) =>
          `{"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"size":1,"size":2,"odd":1}}`,
      ],
    ]
    const levels = ['Strict', 'Warn', 'Ignore', '']
    sameEach(
      bodies.flatMap(([what, body]) =>
        levels.map((level): Row => {
          const strict = level === 'Strict' && what !== 'unknown fields where all is allowed'
          return [
            `${what}, ${level || 'by default'}`,
            strict ? 400 : 201,
            'POST',
            `${path}?dryRun=All&fieldValidation=${level}`,
            body('x'),
          ]
        }),
      ),
    )
    const builtins: readonly (readonly [string, string])[] = [
      ['an unknown field', '{"metadata":{"name":"x"},"unknown":1}'],
      ['an unknown field of metadata', '{"metadata":{"name":"x","unknown":1}}'],
      ['a field twice', '{"metadata":{"name":"x"},"data":{"a":"1"},"data":{"a":"2"}}'],
      ['a key twice', '{"metadata":{"name":"x"},"data":{"a":"1","a":"2"}}'],
      ['a field in the wrong case', '{"metadata":{"name":"x"},"Data":{"a":"1"}}'],
    ]
    sameEach(
      builtins.flatMap(([what, body]) =>
        levels.map(
          (level): Row => [
            `a config map with ${what}, ${level || 'by default'}`,
            level === 'Strict' ? 400 : 201,
            'POST',
            `${maps}?dryRun=All&fieldValidation=${level}`,
            body,
          ],
        ),
      ),
    )
    const yaml = (lines: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n${lines}`
    sameEach([
      [
        'a key of YAML twice, Strict',
        400,
        'POST',
        `${maps}?dryRun=All&fieldValidation=Strict`,
        yaml('data:\n  a: "1"\n  a: "2"\n'),
        { type: 'application/yaml' },
      ],
      [
        'a key of YAML twice, Warn',
        201,
        'POST',
        `${maps}?dryRun=All&fieldValidation=Warn`,
        yaml('data:\n  a: "1"\n  a: "2"\n'),
        { type: 'application/yaml' },
      ],
      [
        'an unknown key of YAML, Strict',
        400,
        'POST',
        `${maps}?dryRun=All&fieldValidation=Strict`,
        yaml('odd: 1\n'),
        { type: 'application/yaml' },
      ],
      [
        'a body that is not valid YAML',
        400,
        'POST',
        `${maps}?dryRun=All`,
        'a: b: c',
        { type: 'application/yaml' },
      ],
      [
        'an unknown field of a merge patch, Strict',
        422,
        'PATCH',
        `${path}/there?dryRun=All&fieldValidation=Strict`,
        { spec: { odd: 1 } },
        merge,
      ],
      [
        'an unknown field of a merge patch, Warn',
        200,
        'PATCH',
        `${path}/there?dryRun=All&fieldValidation=Warn`,
        { spec: { odd: 1 } },
        merge,
      ],
      [
        'a field of a merge patch twice, Strict',
        422,
        'PATCH',
        `${path}/there?dryRun=All&fieldValidation=Strict`,
        '{"spec":{"size":1,"size":2}}',
        merge,
      ],
      [
        'an unknown field of a merge patch of a config map, Strict',
        422,
        'PATCH',
        `${maps}/there?dryRun=All&fieldValidation=Strict`,
        { odd: 1 },
        merge,
      ],
      [
        'an unknown field of a merge patch of a config map, Warn',
        200,
        'PATCH',
        `${maps}/there?dryRun=All&fieldValidation=Warn`,
        { odd: 1 },
        merge,
      ],
      [
        'an unknown field of a strategic patch, Strict',
        422,
        'PATCH',
        `${maps}/there?dryRun=All&fieldValidation=Strict`,
        { odd: 1 },
        strategic,
      ],
      [
        'an unknown field of a JSON patch, Strict',
        422,
        'PATCH',
        `${path}/there?dryRun=All&fieldValidation=Strict`,
        [{ op: 'add', path: '/spec/odd', value: 1 }],
        json,
      ],
      [
        'an unknown field of an operation, Strict',
        422,
        'PATCH',
        `${path}/there?dryRun=All&fieldValidation=Strict`,
        [{ op: 'add', path: '/spec/size', value: 1, odd: 2 }],
        json,
      ],
      [
        'an unknown field of an apply, Strict',
        500,
        'PATCH',
        `${path}/there?dryRun=All&fieldValidation=Strict&fieldManager=a`,
        widget('there', { spec: { odd: 1 } }),
        applied,
      ],
      [
        'an unknown field of a put, Strict',
        400,
        'PUT',
        `${path}/there?dryRun=All&fieldValidation=Strict`,
        widget('there', { spec: { odd: 1 } }, { resourceVersion: '1' }),
      ],
    ])
    const container: Fields = { name: 'a', image: 'a' }
    const deployment = (pod: Fields): Fields => ({
      metadata: { name: 'x' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: pod },
      },
    })
    sameEach([
      [
        'an unknown field of a container, Strict',
        400,
        'POST',
        `${deployments}?dryRun=All&fieldValidation=Strict`,
        deployment({ containers: [{ ...container, odd: 1 }] }),
      ],
      [
        'an unknown field of a container, Warn',
        201,
        'POST',
        `${deployments}?dryRun=All`,
        deployment({ containers: [{ ...container, odd: 1 }] }),
      ],
      [
        'text for a number of a container',
        400,
        'POST',
        `${deployments}?dryRun=All`,
        deployment({ containers: [{ ...container, ports: [{ containerPort: 'x' }] }] }),
      ],
      [
        'a list for a map of a container',
        400,
        'POST',
        `${deployments}?dryRun=All`,
        deployment({ containers: [{ ...container, resources: [] }] }),
      ],
      [
        'an invalid quantity',
        400,
        'POST',
        `${deployments}?dryRun=All`,
        deployment({ containers: [{ ...container, resources: { limits: { cpu: 'lots' } } }] }),
      ],
      [
        'a number for text of a container',
        400,
        'POST',
        `${deployments}?dryRun=All`,
        deployment({ containers: [{ name: 'a', image: 5 }] }),
      ],
      [
        'text for a boolean of a pod',
        400,
        'POST',
        `${deployments}?dryRun=All`,
        deployment({ containers: [container], hostNetwork: 'yes' }),
      ],
      [
        'a map for the list of containers',
        400,
        'POST',
        `${deployments}?dryRun=All`,
        deployment({ containers: { a: 1 } }),
      ],
    ])
  })
})
