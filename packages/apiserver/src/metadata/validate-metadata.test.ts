import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { subdomainName } from './name-rules.ts'
import { validateMetadata, validateMetadataUpdate } from './validate-metadata.ts'

function object(metadata: object): KubeObject {
  return {
    apiVersion: 'example.dev/v1',
    kind: 'Widget',
    metadata: { name: 'x', namespace: 'default', ...metadata },
  }
}
function fieldsOf(metadata: object) {
  return validateMetadata(object(metadata), true, subdomainName).map(
    ({ field, reason }) => `${field} ${reason}`,
  )
}

describe('validateMetadata', () => {
  test.each([
    { because: 'minimal metadata is valid', metadata: {}, found: [] },
    {
      because: 'generateName may end with a dash',
      metadata: { generateName: 'a-' },
      found: [],
    },
    {
      because: 'generateName follows the name rules',
      metadata: { generateName: 'A' },
      found: ['metadata.generateName FieldValueInvalid'],
    },
    {
      because: 'a namespace is a DNS label',
      metadata: { namespace: 'a.b' },
      found: ['metadata.namespace FieldValueInvalid'],
    },
    {
      because: 'label keys and values are validated separately',
      metadata: { labels: { 'a/b/c': 'x y' } },
      found: ['metadata.labels FieldValueInvalid', 'metadata.labels FieldValueInvalid'],
    },
    {
      because: 'the total size of annotations is limited',
      metadata: { annotations: { a: 'x'.repeat(200_000), b: 'x'.repeat(70_000) } },
      found: ['metadata.annotations FieldValueTooLong'],
    },
    {
      because: 'annotation keys may have capitals in the prefix',
      metadata: { annotations: { 'Example.dev/a': 'x' } },
      found: [],
    },
    {
      because: 'an owner reference must be complete',
      metadata: { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
      found: [
        'metadata.ownerReferences.apiVersion FieldValueInvalid',
        'metadata.ownerReferences.kind FieldValueInvalid',
        'metadata.ownerReferences.name FieldValueInvalid',
        'metadata.ownerReferences.uid FieldValueInvalid',
      ],
    },
    {
      because: 'events cannot be owners',
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'a', uid: 'b' }] },
      found: ['metadata.ownerReferences FieldValueInvalid'],
    },
    {
      because: 'finalizers are qualified names',
      metadata: { finalizers: ['a b'] },
      found: ['metadata.finalizers FieldValueInvalid'],
    },
    {
      because: 'managers have an operation and a printable name',
      metadata: { managedFields: [{ manager: 'a\u0001' }] },
      found: [
        'metadata.managedFields[0].operation FieldValueInvalid',
        'metadata.managedFields[0].manager FieldValueInvalid',
      ],
    },
  ])('$because', ({ metadata, found }) => {
    expect(fieldsOf(metadata)).toEqual(found)
  })

  test('a cluster-scoped object has no namespace', () => {
    expect(validateMetadata(object({}), false, subdomainName)).toEqual([
      {
        reason: 'FieldValueForbidden',
        field: 'metadata.namespace',
        message: 'Forbidden: not allowed on this type',
      },
    ])
  })
})

describe('validateMetadataUpdate', () => {
  const old = {
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    deletionTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['a.b/c'],
  }

  test.each([
    { because: 'nothing changed', change: {}, found: [] },
    {
      because: 'a finalizer can be removed from a deleted object',
      change: { finalizers: [] },
      found: [],
    },
    {
      because: 'a finalizer cannot be added to a deleted object',
      change: { finalizers: ['a.b/c', 'd.e/f'] },
      found: ['metadata.finalizers'],
    },
    {
      because: 'a resourceVersion is required',
      change: { resourceVersion: '' },
      found: ['metadata.resourceVersion'],
    },
    {
      because: 'the generation must not decrease',
      change: { generation: 1 },
      found: ['metadata.generation'],
    },
    {
      because: 'identity is immutable',
      change: { uid: 'v', name: 'y' },
      found: ['metadata.name', 'metadata.uid'],
    },
  ])('$because', ({ change, found }) => {
    const errors = validateMetadataUpdate(object({ ...old, ...change }), object(old))
    expect(errors.map(({ field }) => field)).toEqual(found)
  })
})
