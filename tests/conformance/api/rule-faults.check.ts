import type { Fields } from './client.ts'
import { rules } from './ruled-schema.ts'
import { text } from './schema-parts.ts'
import { conformance, type Row, withoutStatus } from './suite.ts'
import { definitionOf, definitionsPath } from './widget.ts'

conformance('rule-faults', ({ group, sameEach }) => {
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
        'an invalid field path',
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
