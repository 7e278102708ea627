import { describe, expect, test } from 'vitest'
import { createPolicyCompiler, type PolicyResultKind } from './policy-compiler.ts'
import { everything } from './testing/policy-run.ts'

function errorOf(source: string, result: PolicyResultKind = 'bool', declarations = everything) {
  return createPolicyCompiler().compile(source, result, declarations).error
}

function located(source: string, column: number, message: string): string {
  return `compilation failed: ERROR: <input>:1:${column}: ${message}\n | ${source}\n | ${'.'.repeat(column - 1)}^`
}

// The texts are responses of kube-apiserver 1.36 to a policy with the expression.
describe('an expression that kube-apiserver rejects', () => {
  test.each([
    ['request.uid == ""', 8, "undefined field 'uid'"],
    ['namespaceObject.metadata.uid == ""', 25, "undefined field 'uid'"],
    ['variables.x', 10, "undefined field 'x'"],
    ['request{}', 8, "'kubernetes.AdmissionRequest' is not a type"],
    ['Object{}', 7, "undeclared reference to 'Object' (in container '')"],
    [
      'has(authorizer.requestResource)',
      4,
      "unexpected failed resolution of 'kubernetes.authorization.Authorizer'",
    ],
    ['authorizer.foo()', 15, "undeclared reference to 'foo' (in container '')"],
    [
      'true ? "a" : null',
      6,
      "found no matching overload for '_?_:_' applied to '(bool, string, null)'",
    ],
  ])('%s', (source, column, message) => {
    expect(errorOf(source)).toEqual({ kind: 'invalid', detail: located(source, column, message) })
  })

  test.each([
    ['JSONPatch{foo: 1}', 14, "expected type of field 'foo' is '' but provided type is 'int'"],
    [
      '[JSONPatch{op: 1}]',
      14,
      "expected type of field 'op' is 'string' but provided type is 'int'",
    ],
    [
      'Object{spec: Object.spec{a: 1}, ?b: 2}',
      37,
      "expected type 'optional_type(int)' but found 'int'",
    ],
    ['Foo{}', 4, "undeclared reference to 'Foo' (in container '')"],
    ['int{}', 4, "'int' is not a message type"],
    ['Object{`a-b`: 1}', 8, "unsupported syntax: '`'"],
    [
      '[JSONPatch{op: "add"}, {"a": 1}]',
      24,
      "expected type 'JSONPatch' but found 'map(string, int)'",
    ],
    [
      '[JSONPatch{op: "add", value: Object{} == Object.x{}}]',
      39,
      "found no matching overload for '_==_' applied to '(Object, Object.x)'",
    ],
  ])('%s in a mutation', (source, column, message) => {
    const error = { kind: 'invalid', detail: located(source, column, message) }
    expect(errorOf(source, 'jsonPatch')).toEqual(error)
    expect(errorOf(source, 'applyConfiguration')).toEqual(error)
  })

  test.each<[string, PolicyResultKind, string]>([
    ['object.spec.a', 'bool', 'must evaluate to bool but got dyn'],
    ['timestamp(object.x)', 'bool', 'must evaluate to bool but got google.protobuf.Timestamp'],
    [
      'object.a.name("x")',
      'bool',
      'must evaluate to bool but got kubernetes.authorization.ResourceCheck',
    ],
    ['1', 'string', 'must evaluate to string but got int'],
    ['true', 'stringOrNull', 'must evaluate to one of [string null_type] but got bool'],
    ['Object{a: 1}', 'jsonPatch', 'must evaluate to list(JSONPatch) but got Object'],
    ['[]', 'jsonPatch', 'must evaluate to list(JSONPatch) but got list(dyn)'],
    ['Object.spec{}', 'applyConfiguration', 'must evaluate to Object but got Object.spec'],
    ['object', 'applyConfiguration', 'must evaluate to Object but got dyn'],
  ])('%s as %s', (source, result, detail) => {
    expect(errorOf(source, result)).toEqual({ kind: 'invalid', detail })
  })

  test('because it names a type that has no value', () => {
    const source = 'type(request) == kubernetes.AdmissionRequest'
    expect(errorOf(source)).toEqual({
      kind: 'internal',
      detail:
        'program instantiation failed: reference to undefined type: kubernetes.AdmissionRequest',
    })
  })

  test('because the policy does not declare what it uses', () => {
    const nothing = { params: false, authorizer: false }
    for (const [source, name] of [
      ['params.x == 1', 'params'],
      ['authorizer.path("/a").check("get").allowed()', 'authorizer'],
    ] as const) {
      const undeclared = `undeclared reference to '${name}' (in container '')`
      const detail = located(source, 1, undeclared)
      expect(errorOf(source, 'bool', nothing)?.detail.startsWith(detail)).toBe(true)
      expect(errorOf(source)).toBeUndefined()
    }
    const source = 'variables.foo == 1'
    const plain = createPolicyCompiler({ variables: false }).compile(source, 'bool', everything)
    expect(plain.error?.detail).toBe(
      located(source, 1, "undeclared reference to 'variables' (in container '')"),
    )
  })
})

describe('variables', () => {
  test('have the type of their expression if it is a scalar, a list or a map', () => {
    const compiler = createPolicyCompiler()
    compiler.addVariable('n', '1', everything)
    compiler.addVariable('names', '["a"]', everything)
    compiler.addVariable('ip', 'ip("1.2.3.4")', everything)
    const detail = (source: string) => compiler.compile(source, 'bool', everything).error?.detail
    expect(detail('variables.n == "a"')).toContain(
      "found no matching overload for '_==_' applied to '(int, string)'",
    )
    expect(detail('variables.names[0] == 1')).toContain("applied to '(string, int)'")
    expect(detail('variables.ip == 1')).toBeUndefined()
  })

  test('can only use earlier ones', () => {
    const compiler = createPolicyCompiler()
    expect(compiler.addVariable('first', 'variables.second', everything)?.detail).toContain(
      "undefined field 'second'",
    )
    expect(compiler.addVariable('second', 'variables.first', everything)).toBeUndefined()
  })
})
