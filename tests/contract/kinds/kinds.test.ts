import {
  checkCustomResourceDefinition,
  checkRules,
  customResourceDefinition,
  formatFieldError,
} from '@agents/crd'
import { agentRun } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { kindOf, kinds, type Manifest, readManifests } from '../../support/kinds/manifests.ts'
import { objectChecker } from './check-object.ts'

const checkers = new Map(kinds.map((kind) => [kind, objectChecker(kind)]))

function check(object: Manifest['object'], old?: Manifest['object']) {
  const kind = kindOf(object)
  const checker = kind && checkers.get(kind)
  if (!checker) throw new Error(`no kind for ${object.apiVersion} ${object.kind}`)
  return checker(object, old)
}

describe('the definition of', () => {
  test.each(kinds)('$kind keeps the rules of kube-apiserver', (kind) => {
    const problems = checkCustomResourceDefinition(customResourceDefinition(kind), { checkRules })
    expect(problems.map(formatFieldError)).toEqual([])
  })

  test.each(kinds)('$kind stays well below the size limit of a client-side apply', (kind) => {
    expect(Buffer.byteLength(stringify(customResourceDefinition(kind)))).toBeLessThan(256 * 1024)
  })
})

test('no two kinds share a name that kubectl resolves', () => {
  const names = kinds.flatMap(({ plural, singular, shortNames = [] }) => [
    plural,
    singular,
    ...shortNames,
  ])
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('a category never hides a resource: kubectl resolves categories first', () => {
  const names = new Set(
    kinds.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames]),
  )
  const categories = kinds.flatMap((kind) => kind.categories ?? [])
  expect(categories.filter((category) => names.has(category))).toEqual([])
})

describe('the examples', () => {
  const examples = readManifests('charts/agents/examples/*.yaml')

  test.each(examples.filter(({ object }) => kindOf(object)))(
    '$file is accepted unchanged',
    ({ object }) => {
      const { unknown, errors } = check(object)
      expect({ unknown, errors: errors.map(formatFieldError) }).toEqual({ unknown: [], errors: [] })
    },
  )

  test('cover every kind', () => {
    const shown = new Set(examples.map(({ object }) => kindOf(object)))
    // Requests are created by the platform, and a decision is about one of them: agentctl approve makes it.
    const unwritten = ['ApprovalRequest', 'ApprovalDecision']
    expect(kinds.filter((kind) => !shown.has(kind)).map(({ kind }) => kind)).toEqual(unwritten)
  })

  test.each(['agentprovider', 'agent', 'implementationspec', 'agentrun', 'agentrun-workflow'])(
    'include %s-smoke',
    (name) => {
      expect(examples.map(({ file }) => file)).toContain(
        `charts/agents/examples/${name}-smoke.yaml`,
      )
    },
  )
})

describe('an invalid manifest', () => {
  const invalid = readManifests('tests/contract/kinds/invalid/*.yaml').map((manifest) => ({
    ...manifest,
    field: /^field: (.+)$/m.exec(manifest.comment)?.[1] ?? '',
    because: /^because: (.+)$/m.exec(manifest.comment)?.[1] ?? '',
  }))

  test.each(invalid)('is refused at $field: $because', ({ object, field, because }) => {
    expect(because).not.toBe('')
    const { unknown, errors } = check(object)
    expect([...unknown, ...errors.map((error) => error.field)]).toContain(field)
  })

  test.each(kinds)('exists at least three times for $kind', (kind) => {
    expect(invalid.filter(({ object }) => kindOf(object) === kind).length).toBeGreaterThanOrEqual(3)
  })
})

describe('an AgentRun that exists', () => {
  const [smoke] = readManifests('charts/agents/examples/agentrun-smoke.yaml')
  const old = smoke?.object ?? {}
  const oldSpec = old.spec as Manifest['object']
  const updated = (spec: Manifest['object']) => ({ ...old, spec: { ...oldSpec, ...spec } })

  test.each([
    { because: 'nothing changes', spec: {} },
    { because: 'it is cancelled', spec: { cancel: true } },
    { because: 'its retention changes', spec: { ttlSecondsAfterFinished: 60 } },
  ])('may be updated when $because', ({ spec }) => {
    expect(check(updated(spec), old).errors.map(formatFieldError)).toEqual([])
  })

  test.each([
    { because: 'another agent', spec: { agentRef: { name: 'other' } } },
    { because: 'another runtime', spec: { runtime: { type: 'workflow' } } },
    { because: 'other parameters', spec: { parameters: { other: 'x' } } },
    { because: 'a timeout', spec: { timeoutSeconds: 5 } },
    { because: 'secrets', spec: { secrets: ['more'] } },
    { because: 'a priority', spec: { priority: 100 } },
  ])('may not be given $because', ({ spec }) => {
    const { errors } = check(updated(spec), old)
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.every(({ field }) => field.startsWith('spec'))).toBe(true)
  })

  test('rejects removing a field that it was created with', () => {
    const { parameters: _, ...rest } = { parameters: { a: 'b' }, ...oldSpec } as Manifest['object']
    const withParameters = { ...old, spec: { ...rest, parameters: { a: 'b' } } }
    expect(check({ ...old, spec: rest }, withParameters).errors).not.toEqual([])
  })

  test('cannot be uncancelled', () => {
    expect(check(updated({ cancel: false }), updated({ cancel: true })).errors).not.toEqual([])
    expect(check(old, updated({ cancel: true })).errors).not.toEqual([])
  })

  test('is of the declared kind AgentRun', () => {
    expect(kindOf(old)).toBe(agentRun)
  })
})
