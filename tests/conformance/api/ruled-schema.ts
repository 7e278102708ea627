import type { Fields } from './client.ts'
import { text } from './schema-parts.ts'

/** CEL rules of a schema. */
export function rules(...list: Fields[]): Fields {
  return { 'x-kubernetes-validations': list }
}

/** A schema with every construct that a rule can apply to. */
export const ruledSchema: Fields = {
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
