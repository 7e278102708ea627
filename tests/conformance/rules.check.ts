import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { conformance, type Row, withoutStatus } from './suite.ts'
import { definitionOf, definitionsPath, serve } from './widget.ts'

type Fields = { [key: string]: Json }
const merge = { type: 'application/merge-patch+json' }
const text: Fields = { type: 'string' }
const rules = (...list: Fields[]): Fields => ({ 'x-kubernetes-validations': list })

const schema: Fields = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        min: { type: 'integer' },
        max: { type: 'integer' },
        name: {
          type: 'string',
          ...rules({ rule: "self.startsWith('a')", message: 'must start with a' }),
        },
        fixed: { type: 'string', ...rules({ rule: 'self == oldSelf', message: 'cannot change' }) },
        once: {
          type: 'string',
          ...rules({
            rule: '!oldSelf.hasValue() || self == oldSelf.value()',
            optionalOldSelf: true,
            message: 'set once',
          }),
        },
        told: {
          type: 'string',
          maxLength: 20,
          ...rules({
            rule: 'self.size() < 4',
            messageExpression: "'too long: ' + self",
          }),
        },
        plain: { type: 'string', ...rules({ rule: 'self.size() < 4' }) },
        reasons: {
          type: 'object',
          properties: { a: text, b: text },
          ...rules(
            {
              rule: "!has(self.a) || self.a != 'required'",
              reason: 'FieldValueRequired',
              fieldPath: '.b',
              message: 'b is needed',
            },
            {
              rule: "!has(self.a) || self.a != 'forbidden'",
              reason: 'FieldValueForbidden',
              fieldPath: '.a',
              message: 'not this',
            },
            {
              rule: "!has(self.a) || self.a != 'duplicate'",
              reason: 'FieldValueDuplicate',
              message: 'again',
            },
          ),
        },
        list: {
          type: 'array',
          maxItems: 10,
          items: { type: 'integer', ...rules({ rule: 'self % 2 == 0', message: 'must be even' }) },
          ...rules({ rule: 'self.all(x, x > 0)', message: 'must be positive' }),
        },
        ports: {
          type: 'array',
          maxItems: 10,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', maxLength: 20 },
              port: {
                type: 'integer',
                ...rules({ rule: 'self >= oldSelf', message: 'must not shrink' }),
              },
            },
          },
        },
        map: {
          type: 'object',
          maxProperties: 10,
          additionalProperties: { type: 'string', maxLength: 20 },
          ...rules({
            rule: "self.all(key, key.matches('^[a-z]+$'))",
            message: 'keys are lower case',
          }),
        },
        quantity: {
          type: 'string',
          maxLength: 20,
          ...rules({ rule: "quantity(self).isLessThan(quantity('2Gi'))", message: 'too much' }),
        },
        port: {
          'x-kubernetes-int-or-string': true,
          ...rules({
            rule: "type(self) == int ? self < 100 : self.endsWith('%')",
            message: 'neither',
          }),
        },
        when: {
          type: 'string',
          format: 'date-time',
          ...rules({ rule: "self < timestamp('2030-01-01T00:00:00Z')", message: 'too late' }),
        },
        wait: {
          type: 'string',
          format: 'duration',
          ...rules({ rule: "self < duration('1h')", message: 'too long' }),
        },
        url: {
          type: 'string',
          maxLength: 100,
          ...rules({
            rule: "isURL(self) && url(self).getScheme() == 'https'",
            message: 'must be https',
          }),
        },
        divided: {
          type: 'integer',
          ...rules({ rule: '10 / self > 1', message: 'too small a part' }),
        },
        'odd-name': { type: 'string' },
        in: { type: 'string' },
      },
      ...rules(
        {
          rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
          message: 'min must not exceed max',
        },
        {
          rule: "!has(self.odd__dash__name) || self.odd__dash__name != 'bad'",
          message: 'odd names are escaped',
        },
        {
          rule: "!has(self.__in__) || self.__in__ != 'bad'",
          message: 'reserved names are escaped',
        },
        { rule: '!has(oldSelf.max) || has(self.max)', message: 'max may not be removed' },
      ),
    },
  },
  ...rules({ rule: 'self.metadata.name.size() < 10', message: 'the name is too long' }),
}

conformance('rules', ({ client, namespace, group, same, sameEach }) => {
  const path = `/apis/${group}/v1/namespaces/${namespace}/ruled`
  const ruled = (spec: Json, name = 'a'): Fields => ({
    apiVersion: `${group}/v1`,
    kind: 'Ruled',
    metadata: { name },
    spec,
  })

  test('a kind with rules is served', async () => {
    await serve(client, definitionOf(group, { plural: 'ruled', kind: 'Ruled', schema }))
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
      ['a quantity that is none', 422, { quantity: 'much' }],
      ['a quantity that is small', 201, { quantity: '500Mi' }],
      ['a number of a number or text', 422, { port: 100 }],
      ['text of a number or text', 422, { port: 'x' }],
      ['a time', 422, { when: '2031-01-01T00:00:00Z' }],
      ['a time that is none', 422, { when: 'x' }],
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

  describe('rules that are refused', () => {
    const bad = (what: string, property: Fields, code = 422): Row => [
      `a definition with ${what}`,
      code,
      'POST',
      `${definitionsPath}?dryRun=All`,
      definitionOf(group, {
        plural: 'bads',
        kind: 'Bad',
        schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { a: property } } },
        },
      }),
    ]
    const short = { type: 'string', maxLength: 20 }
    const of = (rule: string, rest: Fields = {}, type: Fields = text): Fields => ({
      ...type,
      ...rules({ rule, ...rest }),
    })
    sameEach(
      [
        bad('no rule', of('')),
        bad('a rule that is no expression', of('self +')),
        bad('a rule that is no boolean', of('self')),
        bad('a rule with an unknown variable', of('other == 1')),
        bad(
          'a rule with an unknown field',
          of("self.b == 'x'", {}, { type: 'object', properties: { c: text } }),
        ),
        bad('a rule with an unknown function', of('self.guess()')),
        bad('a rule that compares apples and pears', of('self == 1')),
        bad('a rule that adds text and numbers', of("self + 1 == 'x'")),
        bad('a rule that costs too much', {
          type: 'array',
          items: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
          ...rules({
            rule: 'self.all(x, x.all(y, y.all(z, z.matches("a") && self.exists(q, q == x))))',
          }),
        }),
        bad('a message on two lines', of('true', { message: 'a\nb' })),
        bad('an empty message', of('true', { message: ' ' })),
        bad('a message expression that is no text', of('true', { messageExpression: '1' })),
        bad(
          'a message expression that is no expression',
          of('true', { messageExpression: 'self +' }),
        ),
        bad('an unknown reason', of('true', { reason: 'Odd' })),
        bad(
          'a field path that is not there',
          of('true', { fieldPath: '.none' }, { type: 'object', properties: { c: text } }),
        ),
        bad(
          'a field path that is none',
          of('true', { fieldPath: 'c' }, { type: 'object', properties: { c: text } }),
        ),
        bad('an old self where none can be', {
          type: 'array',
          maxItems: 5,
          items: { type: 'string', maxLength: 5, ...rules({ rule: 'self == oldSelf' }) },
        }),
        bad('an optional old self that is not used', of('true', { optionalOldSelf: true })),
        bad('a rule with a wrong pattern', of("self.matches('(')")),
        bad(
          'a rule about what is nullable',
          of('self == null', {}, { type: 'string', nullable: true }),
        ),
        bad(
          'a rule that uses optional fields',
          of("self.?c.orValue('x') == 'x'", {}, { type: 'object', properties: { c: text } }),
          201,
        ),
        bad(
          'a rule that uses formats and short text',
          of(
            '!format.dns1123Label().validate(self).hasValue()',
            {},
            { type: 'string', maxLength: 20 },
          ),
          201,
        ),
        bad(
          'a rule that uses semantic versions',
          of("isSemver(self) && semver(self).isGreaterThan(semver('1.0.0'))"),
          201,
        ),
        bad(
          'a rule that uses addresses',
          of("isIP(self) && cidr('10.0.0.0/8').containsIP(ip(self))"),
          201,
        ),
        bad(
          'a rule that uses sets',
          {
            type: 'array',
            maxItems: 5,
            items: { type: 'string', maxLength: 5 },
            ...rules({ rule: "sets.contains(['a'], self)" }),
          },
          201,
        ),
        bad(
          'a rule that uses lists',
          {
            type: 'array',
            maxItems: 5,
            items: { type: 'integer' },
            ...rules({ rule: 'self.isSorted() && self.sum() < 5' }),
          },
          201,
        ),
        bad(
          'a rule that joins without a bound',
          of("self.split('-').join('+').replace('a', 'b') == 'x'", {}, short),
        ),
        bad(
          'a rule that uses functions of short text',
          of(
            "self.lowerAscii().replace('a', 'b').trim() != 'x' && self.find('[0-9]+') != '1'",
            {},
            short,
          ),
          201,
        ),
        bad(
          'a rule that uses two variables',
          {
            type: 'object',
            maxProperties: 5,
            additionalProperties: { type: 'string', maxLength: 5 },
            ...rules({ rule: 'self.all(k, v, k != v)' }),
          },
          201,
        ),
      ],
      withoutStatus,
    )
  })
})
