import type { AnyKind, Schema } from '@agents/crd'
import type { ConditionDeclaration, GateDeclaration } from '@agents/status'
import { expect } from 'vitest'
import type { Contract } from './contract-subject.ts'

interface Conditions {
  readonly summary: 'Ready' | 'Succeeded'
  readonly all: readonly ConditionDeclaration[]
  readonly gates: readonly GateDeclaration[]
}

/** Invariants that hold for every status, whatever the gates reported. */
export function expectContract(conditions: Conditions, { status, metadata }: Contract): void {
  const types = status.conditions.map(({ type }) => type)
  expect(types, 'no type twice').toEqual([...new Set(types)])
  const order = conditions.all.map(({ type }) => type)
  expect(types, 'in their fixed order').toEqual(order.filter((type) => types.includes(type)))
  const companions = ['Reconciling', 'Stalled']
  expect(types, 'all from the first write on').toEqual(
    expect.arrayContaining(order.filter((type) => !companions.includes(type))),
  )
  expect(types.filter((type) => companions.includes(type)).length).toBeLessThanOrEqual(1)
  for (const { type, reason, status: value, observedGeneration } of status.conditions) {
    const declared = conditions.all.find((one) => one.type === type)
    expect(Object.keys(declared?.reasons ?? {}), `${type} declares ${reason}`).toContain(reason)
    expect(observedGeneration).toBe(metadata.generation)
    if (companions.includes(type)) expect(value).toBe('True')
  }
  if (conditions.summary === 'Ready') expectSummary(conditions, status)
  else expectRun(status)
}

function expectSummary({ gates }: Conditions, { conditions }: Contract['status']): void {
  const isTrue = (type: string) => conditions.find((one) => one.type === type)?.status === 'True'
  expect(isTrue('Ready')).toBe(gates.every(({ type }) => isTrue(type)))
  const isOpen = conditions.some(({ type }) => type === 'Reconciling' || type === 'Stalled')
  expect(isOpen).toBe(!isTrue('Ready'))
}

function expectRun({ conditions, finishedAt }: Contract['status']): void {
  const value = (type: string) => conditions.find((one) => one.type === type)?.status
  const isFinished = value('Finished') === 'True'
  expect(finishedAt !== undefined).toBe(isFinished)
  expect(value('Succeeded') !== 'Unknown').toBe(isFinished)
  expect(value('Ready')).toBe(value('Succeeded'))
  expect(value('Reconciling') === 'True').toBe(!isFinished)
  expect(value('Stalled') === 'True').toBe(value('Succeeded') === 'False')
}

/** Invariants that hold between a status and the next one. */
export function expectTransition(before: Contract, after: Contract, now: string): void {
  for (const condition of after.status.conditions) {
    const known = before.status.conditions.find(({ type }) => type === condition.type)
    if (!known) expect(condition.lastTransitionTime).toBe(now)
    else if (known.status === condition.status) {
      expect(condition.lastTransitionTime).toBe(known.lastTransitionTime)
    } else expect(condition.lastTransitionTime).toBe(now)
  }
  const isWritten = before.metadata.resourceVersion !== after.metadata.resourceVersion
  expect(after.status.updatedAt).toBe(isWritten ? now : before.status.updatedAt)
  for (const stamp of ['startedAt', 'finishedAt'] as const) {
    const stamped = before.status[stamp]
    if (stamped !== undefined) expect(after.status[stamp]).toBe(stamped)
  }
}

/**
 * Expects a field of the declared schema at the path, and that a condition selected by the path is one of the kind's.
 */
export function expectColumn(kind: AnyKind, conditions: Conditions, jsonPath: string): void {
  let schema: Schema | undefined = kind.schema
  for (const [step, name, type] of jsonPath.matchAll(/\.(\w+)(?:\[\?\(@\.type=="(\w+)"\)\])?/g)) {
    schema = schema?.properties?.[name ?? '']
    expect(schema, `${kind.kind} has ${step} of ${jsonPath}`).toBeDefined()
    if (type === undefined) continue
    expect(conditions.all.map((one) => one.type)).toContain(type)
    schema = schema?.items as Schema | undefined
  }
}
