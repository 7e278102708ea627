import { expect, test } from 'vitest'
import { completionAt, helpAt } from './completion.ts'
import { editedSchema } from './schema.ts'

const name = { type: 'string', description: 'The name.' }
const schema = editedSchema({
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    status: { type: 'object' },
    spec: {
      type: 'object',
      required: ['text'],
      properties: {
        cancel: { type: 'boolean' },
        runtime: {
          type: 'object',
          properties: { type: { type: 'string', enum: ['job', 'workflow'], default: 'job' } },
        },
        steps: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name, answer: { type: 'string', enum: ['yes', 'true'] } },
          },
        },
        parameters: { type: 'object', additionalProperties: { type: 'string' } },
        text: { type: 'string' },
      },
    },
  },
})

/** The bar is where the person writes. */
function labels(marked: string): readonly string[] {
  const position = marked.indexOf('|')
  const text = marked.slice(0, position) + marked.slice(position + 1)
  return completionAt(text, position, schema).suggestions.map(({ label }) => label)
}

test.each([
  ['the fields of the object, without its status', '|', ['apiVersion', 'spec', 'metadata']],
  ['those that begin like what is typed first', 'spec:\n  te|', ['text', 'steps', 'parameters']],
  ['those that contain it', 'spec:\n  ime|', ['runtime']],
  [
    'required ones first, and none twice',
    'spec:\n  |\n  steps: []\n',
    ['text', 'cancel', 'runtime', 'parameters'],
  ],
  ['none that is above', 'spec:\n  text: x\n  steps:\n    - name: y\n  c|', ['cancel']],
  ['fields of an inner object', 'spec:\n  runtime:\n    |', ['type']],
  ['values', 'spec:\n  runtime:\n    type: |', ['job', 'workflow']],
  ['values that begin like what is typed', 'spec:\n  runtime:\n    type: w|', ['workflow']],
  ['truth values', 'spec:\n  cancel: |', ['true', 'false']],
  ['a new item', 'spec:\n  steps:\n    |', ['- ']],
  ['the fields of an item', 'spec:\n  steps:\n    - |', ['name', 'answer']],
  [
    'the other fields of an item',
    'spec:\n  steps:\n    - name: a\n    - name: b\n      |',
    ['answer'],
  ],
  [
    'the fields of an item whose dash is below its list',
    'spec:\n  steps:\n  - name: a\n    |',
    ['answer'],
  ],
  ['the fields after an item', 'spec:\n  steps:\n  - name: a\n  canc|', ['cancel']],
  ['the metadata of all kinds', 'metadata:\n  name: x\n  la|', ['labels']],
  ['nothing for names that people choose', 'spec:\n  parameters:\n    |', []],
  ['nothing in comments', 'spec:\n  # |', []],
  ['nothing in texts', 'spec:\n  text: >-\n    ste|', []],
  ['nothing in a text that looks like fields', 'spec:\n  text: >\n    spec:\n      |', []],
  ['fields after a text', 'spec:\n  text: >\n    steps:\n  par|', ['parameters']],
  ['nothing that objects of JavaScript have', 'spec:\n  constructor:\n    |', []],
])('suggests %s', (_what, marked, expected) => {
  expect(labels(marked)).toEqual(expected)
})

test.each([
  ['spec:\n  run|', 'runtime', 'runtime:\n    '],
  ['spec:\n  ste|', 'steps', 'steps:\n    - '],
  ['spec:\n  steps:\n    - na|', 'name', 'name: '],
  ['spec:\n  steps:\n    - answer: |', 'true', '"true"'],
  ['spec:\n  steps:\n    - answer: |', 'yes', 'yes'],
])('%j with %s writes %j', (marked, label, insert) => {
  const position = marked.indexOf('|')
  const { suggestions } = completionAt(marked.replace('|', ''), position, schema)
  expect(suggestions.find((each) => each.label === label)?.insert).toBe(insert)
})

test('helpAt says what the field of a line means', () => {
  const text = 'spec:\n  steps:\n    - name: a\n  runtime:\n    type: job\n'
  expect(helpAt(text, text.indexOf('name') + 1, schema)).toEqual({
    ...{ path: 'spec.steps[].name', type: 'text', description: 'The name.' },
  })
  expect(helpAt(text, text.indexOf('job'), schema)).toEqual({
    path: 'spec.runtime.type',
    type: 'text, one of job, workflow, default "job"',
    description: '',
  })
  expect(helpAt('nothing: 1', 2, schema)).toBeUndefined()
})
