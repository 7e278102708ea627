import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sameJson } from '../json/same-json.ts'
import type { KubeObject } from '../object.ts'
import { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts'
import { mergePatch } from './merge-patch.ts'
import {
  controllerOf,
  controllerOfKind,
  isControlledBy,
  OwnershipError,
  withController,
} from './owner-reference.ts'

function object(metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'x', namespace: 'team', ...metadata },
  }
}

describe('finalizers', () => {
  test('are added to and removed from copies', () => {
    const before = object({ finalizers: ['other'] })
    const added = withFinalizer(before, 'mine')
    expect(added.metadata.finalizers).toEqual(['other', 'mine'])
    expect(hasFinalizer(before, 'mine')).toBe(false)
    expect(withoutFinalizer(added, 'mine')).toEqual(before)
  })

  test('return the same object if nothing changes', () => {
    const before = object({ finalizers: ['mine'] })
    expect(withFinalizer(before, 'mine')).toBe(before)
    expect(withoutFinalizer(before, 'other')).toBe(before)
  })
})

describe('a controller', () => {
  const owner: KubeObject = {
    apiVersion: 'agents.example.dev/v1',
    kind: 'AgentRun',
    metadata: { name: 'run', namespace: 'team', uid: 'u' },
  }

  test('is set once, and blocks the deletion of its owner', () => {
    const owned = withController(withController(object(), owner), owner)
    expect(owned.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'agents.example.dev/v1',
        kind: 'AgentRun',
        name: 'run',
        uid: 'u',
        controller: true,
        blockOwnerDeletion: true,
      },
    ])
    expect(isControlledBy(owned, owner)).toBe(true)
    expect(controllerOf(object())).toBeUndefined()
  })

  test.each([
    { because: 'it is in another namespace', child: object({ namespace: 'other' }), owner },
    {
      because: 'the child is cluster-scoped',
      child: object({ namespace: undefined } as object),
      owner,
    },
    {
      because: 'the child has another controller',
      child: object({
        ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'b', controller: true }],
      }),
      owner,
    },
    {
      because: 'it has no uid yet',
      child: object(),
      owner: { ...owner, metadata: { name: 'run', namespace: 'team' } },
    },
  ])('is rejected if $because', ({ child, owner: wanted }) => {
    expect(() => withController(child, wanted)).toThrow(OwnershipError)
  })

  const reference = {
    ...{ apiVersion: 'agents.example.dev/v1', kind: 'AgentRun', name: 'run', uid: 'u' },
    controller: true,
  }

  test.each([
    { because: 'it names a kind of another group', forged: { apiVersion: 'example.com/v1' } },
    { because: 'its group only begins the same', forged: { apiVersion: 'agents.example/v1' } },
    { because: 'it names a kind of the core group', forged: { apiVersion: 'v1' } },
    { because: 'it names another kind of the group', forged: { kind: 'ToolRun' } },
    { because: 'it names another object', forged: { name: 'other' } },
    { because: 'it has the uid of an earlier owner', forged: { uid: 'earlier' } },
    { because: 'it is not the controller', forged: { controller: false } },
  ])('is not recognized by a reference if $because', ({ forged }) => {
    const child = object({ ownerReferences: [{ ...reference, ...forged }] })
    expect(isControlledBy(child, owner)).toBe(false)
    const further = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' }
    const second = object({ ownerReferences: [further, { ...reference, ...forged }] })
    expect(isControlledBy(second, owner)).toBe(false)
  })

  test('is not recognized from another namespace, nor without a uid', () => {
    const child = object({ ownerReferences: [reference] })
    expect(isControlledBy(child, owner)).toBe(true)
    const elsewhere = object({ namespace: 'other', ownerReferences: [reference] })
    expect(isControlledBy(elsewhere, owner)).toBe(false)
    const { uid: _, ...withoutUid } = owner.metadata
    expect(isControlledBy(child, { ...owner, metadata: withoutUid })).toBe(false)
  })

  test('is recognized whichever version of its API it was named with', () => {
    const older = { ...reference, apiVersion: 'agents.example.dev/v1alpha1' }
    expect(isControlledBy(object({ ownerReferences: [older] }), owner)).toBe(true)
  })

  test('is found by its kind, in its group only', () => {
    const kind = { group: 'agents.example.dev', kind: 'AgentRun' }
    const child = object({ ownerReferences: [reference] })
    expect(controllerOfKind(child, kind)).toBe(reference)
    expect(controllerOfKind(child, { ...kind, kind: 'ToolRun' })).toBeUndefined()
    expect(controllerOfKind(child, { ...kind, group: 'example.com' })).toBeUndefined()
    expect(controllerOfKind(object(), kind)).toBeUndefined()
  })
})

describe('a merge patch', () => {
  test.each([
    { because: 'nothing changed', before: { a: 1 }, after: { a: 1n }, patch: undefined },
    { because: 'a change', before: { a: 1, b: 2 }, after: { a: 1, b: 3 }, patch: { b: 3 } },
    { because: 'an addition', before: {}, after: { a: { b: [] } }, patch: { a: { b: [] } } },
    { because: 'a removal', before: { a: { b: 1 } }, after: { a: {} }, patch: { a: { b: null } } },
    { because: 'lists are replaced', before: { a: [1, 2] }, after: { a: [1] }, patch: { a: [1] } },
    {
      because: 'undefined is absent',
      before: { a: 1 },
      after: { a: undefined },
      patch: { a: null },
    },
    { because: 'another type', before: { a: {} }, after: { a: 'x' }, patch: { a: 'x' } },
  ])('$because', ({ before, after, patch }) => {
    expect(mergePatch(before, after)).toEqual(patch)
  })

  test('turns the first value into the second', () => {
    const value = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: 'small', maxDepth: 3 },
        fc.integer(),
        fc.boolean(),
        fc.string(),
        fc.array(tie('json'), { maxLength: 2 }),
        tie('object'),
      ),
      object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('json'), { noNullPrototype: true }),
    })).object as fc.Arbitrary<Record<string, unknown>>
    fc.assert(
      fc.property(value, value, (before, after) => {
        const patch = mergePatch(before, after)
        expect(sameJson(applied(before, patch ?? {}), after)).toBe(true)
        expect(patch === undefined).toBe(sameJson(before, after))
      }),
    )
  })
})

/** The algorithm of RFC 7396. */
function applied(target: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch
  const base = target !== null && typeof target === 'object' && !Array.isArray(target) ? target : {}
  const result: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = applied(result[name], value)
  }
  return result
}
