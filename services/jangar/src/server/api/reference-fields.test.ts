import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { platformKinds } from '../definitions/platform-kinds.ts'
import { referenceFields, referenceNames, referencesTo } from './reference-fields.ts'

/** References to what is no object of the platform, beside Secrets and ConfigMaps. */
const others = ['systemPromptRef', 'knownHostsRef', 'fingerprintRef', 'storageRef']

test('each field of a spec that is called a reference is known', () => {
  const names = new Set<string>()
  const visit = (schema: (typeof platformKinds)[number]['schema']): void => {
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (/Ref$|^subjects?$/.test(name) && !/(secret(Key)?|configMap)Ref$/i.test(name)) {
        names.add(name)
      }
      visit(member)
    }
    if (schema.items !== undefined) visit(schema.items)
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties)
  }
  for (const { schema } of platformKinds) visit(schema.properties?.spec ?? {})
  const known = [...Object.keys(referenceNames), ...others, 'subject', 'subjects']
  expect([...names].filter((name) => !known.includes(name))).toEqual([])
})

test('references lead to kinds of the platform, whose names differ', () => {
  const kinds = platformKinds.map(({ kind }) => kind)
  expect(new Set(kinds).size).toBe(kinds.length)
  const targets = [...referenceFields.values()].flat().flatMap(({ to }) => to ?? [])
  expect(targets.filter((to) => !kinds.includes(to))).toEqual([])
  expect(new Set(targets).size).toBeGreaterThan(10)
})

const target = { kind: 'Agent', namespace: 'red', name: 'writer', uid: 'u1' }

describe('an object that refers to an Agent', () => {
  test.each([
    ['AgentRun', { agentRef: { name: 'writer' } }, 'spec.agentRef'],
    ['Orchestration', { steps: [{}, { agentRef: { name: 'writer' } }] }, 'spec.steps.agentRef'],
    ['Schedule', templated({ agentRef: { name: 'writer' } }), 'spec.template.spec.agentRef'],
    ['ApprovalPolicy', { subjects: [{ kind: 'Agent', name: 'writer' }] }, 'spec.subjects'],
    ['ApprovalPolicy', { subjects: [{ kind: 'Agent', name: '*' }] }, 'spec.subjects'],
    ['Budget', { scope: { agentRef: { name: 'writer' } } }, 'spec.scope.agentRef'],
  ] as const)('is a %s with %j', (kind, spec, field) => {
    expect(referencesTo(kind, object(spec), target)).toEqual([field])
  })

  test.each([
    ['AgentRun', { agentRef: { name: 'another' } }],
    ['AgentRun', { parameters: { agentRef: 'writer' } }],
    ['AgentRun', { memoryRef: { name: 'writer' } }],
    ['AgentRun', { agentRef: 'writer-2' }],
    ['AgentRun', { agentRef: null }],
    ['Orchestration', { steps: [{ with: { agentRef: 'writer' } }] }],
    ['Orchestration', { steps: 'agentRef' }],
    ['ApprovalPolicy', { subjects: [{ kind: 'Tool', name: 'writer' }] }],
    ['SecretBinding', { subjects: [{ kind: 'Agent', name: 'writer', namespace: 'blue' }] }],
  ] as const)('is not a %s with %j', (kind, spec) => {
    expect(referencesTo(kind, object(spec), target)).toEqual([])
  })

  test('is one that it owns, and none that another object of the name owned', () => {
    const owned = (uid: string) => ({
      ...object({}),
      metadata: {
        ...{ name: 'one', namespace: 'red' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Agent', name: 'writer', uid }],
      },
    })
    expect(referencesTo('AgentRun', owned('u1'), target)).toEqual(['metadata.ownerReferences'])
    expect(referencesTo('AgentRun', owned('u2'), target)).toEqual([])
  })
})

test('a step names its Signal and its ApprovalPolicy by a text or an object', () => {
  const steps = [{ policyRef: 'gate' }, { signalRef: 'go' }, { signalRef: { name: 'stop' } }]
  const fieldsTo = (kind: string, name: string) =>
    referencesTo('Orchestration', object({ steps }), { ...target, kind, name })
  expect(fieldsTo('ApprovalPolicy', 'gate')).toEqual(['spec.steps.policyRef'])
  expect(fieldsTo('Signal', 'go')).toEqual(['spec.steps.signalRef'])
  expect(fieldsTo('Signal', 'stop')).toEqual(['spec.steps.signalRef'])
})

function templated(spec: object) {
  return { template: { kind: 'AgentRun', spec } }
}

function object(spec: object): KubeObject {
  const metadata = { name: 'one', namespace: 'red' }
  return { apiVersion: 'v1', kind: 'X', metadata, spec } as KubeObject
}
