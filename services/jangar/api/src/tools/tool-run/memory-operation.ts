import {
  integer,
  object,
  oneOfStrings,
  optional,
  string,
  type ValidationRule,
  withRules,
} from '@agents/crd'
import { localRef } from '../../reference.ts'

/** In bytes of JSON, so that a value can be read again: what a program reports has at most 4 KiB. */
export const largestMemoryValue = 3072

const mostFound = 20

function requires(operation: string, fields: readonly string[]): ValidationRule {
  const all = ['key', 'value', 'query', 'limit']
  const given = fields.map((name) => `has(self.${name})`)
  const absent = all
    .filter((name) => !fields.includes(name) && !(operation === 'search' && name === 'limit'))
    .map((name) => `!has(self.${name})`)
  return {
    rule: `self.operation != '${operation}' || (${[...given, ...absent].join(' && ')})`,
    message: `${operation} requires ${fields.join(' and ')}, and nothing else`,
  }
}

/** Only the platform sets it: the rights to create ToolRuns do not include what is in a Memory. */
export const memoryOperation = withRules(
  object(
    'An operation on a Memory, instead of a Tool. Only the platform can set it, for steps of kind MemoryOp.',
    {
      memoryRef: optional(localRef('The Memory. If omitted, the default Memory of the namespace.')),
      operation: oneOfStrings('put writes an entry, get reads one, and search finds some.', [
        'put',
        'get',
        'search',
      ]),
      key: optional(
        string('Identifies the entry. put replaces the entry that has it.', {
          minLength: 1,
          maxLength: 512,
        }),
      ),
      value: optional(string('Text of the entry.', { maxLength: largestMemoryValue })),
      query: optional(
        string('Words to find. As in a search engine: "a phrase", or, -without.', {
          minLength: 1,
          maxLength: 1024,
        }),
      ),
      limit: optional(
        integer('How many entries are found at most. If omitted, defaults to 5.', {
          format: 'int32',
          minimum: 1,
          maximum: mostFound,
        }),
      ),
    },
  ),
  requires('put', ['key', 'value']),
  requires('get', ['key']),
  requires('search', ['query']),
)
