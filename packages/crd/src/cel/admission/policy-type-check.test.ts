import { describe, expect, test } from 'vitest'
import type { Json, Schema } from '../../schema/schema.ts'
import { resolveReferences } from './open-api-reference.ts'
import { checkPolicyTypes, type MatchedKind } from './policy-type-check.ts'

const definitions: Record<string, Json> = {
  Meta: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      generateName: { type: 'string' },
      namespace: { type: 'string' },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      creationTimestamp: { type: 'string', format: 'date-time' },
    },
  },
  Port: { type: 'string', format: 'int-or-string' },
  Quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  Container: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      port: { $ref: '#/components/schemas/Port' },
      limits: {
        type: 'object',
        additionalProperties: { $ref: '#/components/schemas/Quantity' },
      },
      next: { allOf: [{ $ref: '#/components/schemas/Container' }], description: 'again' },
    },
  },
  Pod: kind({
    containers: { type: 'array', items: { $ref: '#/components/schemas/Container' } },
  }),
  Deployment: kind({ replicas: { type: 'integer' }, 'min-ready': { type: 'integer' } }),
}

function kind(spec: { [name: string]: Json }): Json {
  return {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { allOf: [{ $ref: '#/components/schemas/Meta' }], default: {} },
      spec: { type: 'object', properties: spec },
    },
  }
}

function schemaOf(name: string): Schema {
  const schema = resolveReferences(name, (wanted) => definitions[wanted])
  if (schema === undefined) throw new Error(`no schema ${name}`)
  return schema
}

const pod: MatchedKind = { group: '', version: 'v1', kind: 'Pod', schema: schemaOf('Pod') }
const deployment: MatchedKind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  schema: schemaOf('Deployment'),
}

function warningsOf(
  expression: string,
  kinds: readonly MatchedKind[],
  variables: { name: string; expression: string }[] = [],
): string[] {
  const policy = { variables, validations: [{ expression }] }
  return checkPolicyTypes(policy, kinds).map(({ warning }) => warning)
}

describe('warnings about types', () => {
  test('name the field, the kind and the position', () => {
    const validations = [
      { expression: 'object.spec.replicas > "1"', messageExpression: '"a" + object.spec.foo' },
      { expression: 'object.spec.replicas > 1' },
    ]
    expect(checkPolicyTypes({ variables: [], validations }, [deployment])).toEqual([
      {
        fieldRef: 'spec.validations[0].expression',
        warning: `apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'
 | object.spec.replicas > "1"
 | .....................^
`,
      },
      {
        fieldRef: 'spec.validations[0].messageExpression',
        warning: `apps/v1, Kind=Deployment: ERROR: <input>:1:18: undefined field 'foo'
 | "a" + object.spec.foo
 | .................^
`,
      },
    ])
  })

  test('include every kind that a policy matches', () => {
    const [warning] = warningsOf('object.nope == 1', [pod, deployment])
    expect(warning).toBe(`/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'nope'
 | object.nope == 1
 | ......^

apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'nope'
 | object.nope == 1
 | ......^
`)
  })

  test.each([
    ['authorizer.requestResource.check("get").allowed()', 'unexpected failed resolution'],
    ['object.spec.containers[0].limits.cpu == "1"', "undefined field 'limits'"],
    ['object.metadata.creationTimestamp == "x"', "applied to '(timestamp, string)'"],
    ['object.spec.containers.all(c, c.name == 1)', "applied to '(string, int)'"],
    ['object.spec.containers[0].next.name == "x"', "undefined field 'name'"],
    ['object.spec == 1', "applied to '(Pod0.spec, int)'"],
    ['has(object.spec.nope)', "undefined field 'nope'"],
    ['request.uid == ""', "undefined field 'uid'"],
  ])('%s', (expression, message) => {
    expect(warningsOf(expression, [pod])).toEqual([expect.stringContaining(message)])
  })

  test.each([
    ['object.spec.containers[0].port == 80 && object.spec.containers[0].port == "http"'],
    ['object.metadata.namespace == "x" && "a" in object.metadata.labels'],
    ['object.spec.containers[0].next == oldObject.spec.containers[1].next'],
    ['authorizer.path("/a").check("get").allowed()'],
    ['request.namespace == namespaceObject.metadata.name'],
  ])('there are none about %s', (expression) => {
    expect(warningsOf(expression, [pod])).toEqual([])
  })

  test('check variables separately for each kind', () => {
    const variables = [
      { name: 'r', expression: 'object.spec.replicas' },
      { name: 'spec', expression: 'object.spec' },
    ]
    // The variable does not compile for pods, so that its type is not known.
    expect(warningsOf('variables.r == "x"', [pod, deployment], variables)).toEqual([
      expect.stringMatching(/^apps\/v1, Kind=Deployment: /),
    ])
    expect(warningsOf('variables.spec.nope == 1', [deployment], variables)).toEqual([])
  })

  test('check parameters with and without a schema', () => {
    const validations = [
      { expression: 'params.spec.replicas == "x"' },
      { expression: 'object == params' },
    ]
    const typed = { kind: 'Deployment', schema: deployment.schema }
    expect(
      checkPolicyTypes({ variables: [], validations, params: typed }, [deployment]),
    ).toMatchObject([
      { warning: expect.stringContaining("'(int, string)'") },
      { warning: expect.stringContaining("'(Deployment0, Deployment1)'") },
    ])
    const unknown = { kind: 'Nope' }
    expect(checkPolicyTypes({ variables: [], validations, params: unknown }, [pod])).toEqual([])
    expect(checkPolicyTypes({ variables: [], validations }, [pod])).toMatchObject([
      { warning: expect.stringContaining("undeclared reference to 'params'") },
      { warning: expect.stringContaining("undeclared reference to 'params'") },
    ])
  })

  test('names that are not valid in CEL are escaped', () => {
    expect(warningsOf('object.spec.min__dash__ready == 1', [deployment])).toEqual([])
  })
})

test('a schema with an unresolved reference is undefined', () => {
  expect(resolveReferences('Nope', (name) => definitions[name])).toBeUndefined()
})
