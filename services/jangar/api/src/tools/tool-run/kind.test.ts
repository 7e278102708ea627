import { compileRules, type Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { toolRun } from './kind.ts'

const { spec: schema } = toolRun
const rules = compileRules(toolRun.schema, { resourceRoot: true })

function whole(spec: Json) {
  return {
    ...{ apiVersion: toolRun.apiVersion, kind: 'ToolRun', metadata: { name: 'run' } },
    ...(spec !== null && { spec }),
  }
}

function changes(before: Json, after: Json): string[] {
  const problems = rules?.validate(whole(after), whole(before), { path: '' }) ?? []
  return problems.map(({ message }) => message)
}

function problemsOf(spec: Json): string[] {
  const problems = rules?.validate(whole(spec), undefined, { path: '' }) ?? []
  return problems.map(({ message }) => message)
}

const base = { toolRef: { name: 'a' } }

const values: Readonly<Record<string, readonly [Json, Json]>> = {
  toolRef: [{ name: 'a' }, { name: 'b' }],
  memory: [
    { operation: 'get', key: 'a' },
    { operation: 'get', key: 'b' },
  ],
  parameters: [{ x: 'a' }, { x: 'b' }],
  deliveryId: ['a', 'b'],
  policy: [{ approvalPolicyRef: { name: 'a' } }, { approvalPolicyRef: { name: 'b' } }],
  priority: [1, 2],
  timeoutSeconds: [1, 2],
  retries: [1, 2],
  retryBackoffSeconds: [1, 2],
}

/** Nothing reads `runtime`, so that a change of it changes nothing. */
const changeable = ['cancel', 'ttlSecondsAfterFinished', 'runtime']

describe('the spec of a ToolRun', () => {
  test('has fields that are fixed, and these', () => {
    const fields = Object.keys(schema.properties ?? {})
    expect(fields.toSorted()).toEqual([...Object.keys(values), ...changeable].toSorted())
  })

  test.each(Object.entries(values))(
    'does not let %s change, and names it',
    (name, [one, other]) => {
      const refused = [expect.stringContaining(`${name}: the field is immutable`)]
      const rest = name === 'memory' ? {} : base
      expect(changes({ ...rest, [name]: one }, { ...rest, [name]: other })).toEqual(refused)
      expect(changes({ ...rest, [name]: one }, { ...rest, [name]: one })).toEqual([])
    },
  )

  test('cannot be removed to be changed', () => {
    expect(changes(base, null)).toEqual([expect.stringContaining('cannot be removed')])
  })

  test('lets a run be cancelled, and not continued', () => {
    expect(changes(base, { ...base, cancel: true })).toEqual([])
    expect(changes({ ...base, cancel: true }, base)).toEqual([
      expect.stringContaining('cancel cannot be reverted'),
    ])
  })

  test.each([
    { because: 'a run runs something', spec: {}, problem: 'name the Tool to run' },
    {
      because: 'a run is a Tool or an operation',
      spec: { ...base, memory: { operation: 'get', key: 'a' } },
      problem: 'name the Tool to run',
    },
    ...[
      { operation: 'put', key: 'a' },
      { operation: 'put', value: 'a' },
      { operation: 'put', key: 'a', value: 'a', limit: 1 },
      { operation: 'get' },
      { operation: 'get', key: 'a', value: 'b' },
      { operation: 'get', key: 'a', query: 'b' },
      { operation: 'search' },
      { operation: 'search', query: 'a', key: 'b' },
    ].map((memory) => ({
      because: JSON.stringify(memory),
      spec: { memory },
      problem: `${memory.operation} requires`,
    })),
  ])('is refused: $because', ({ spec, problem }) => {
    expect(problemsOf(spec)).toEqual([expect.stringContaining(problem)])
  })

  test.each([
    { operation: 'put', key: 'a', value: '' },
    { operation: 'get', key: 'a', memoryRef: { name: 'a' } },
    { operation: 'search', query: 'a' },
    { operation: 'search', query: 'a', limit: 3 },
  ])('can be an operation on a Memory: $operation', (memory) => {
    expect(problemsOf({ memory })).toEqual([])
  })
})
