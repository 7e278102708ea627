import { describe, expect, test } from 'vitest'
import { readChecksumList } from './checksum-list.ts'
import { checksumFile, checksumsOf, driftOf } from './checksum-values.ts'
import { objectDigest } from './object-digest.ts'
import { uncoveredObjects } from './uncovered-objects.ts'

const secret = { kind: 'Secret', data: { url: 'cG9zdGdyZXM=', other: 'eA==' } } as const

describe('the list in a values file', () => {
  test('may contain names, and objects with keys', () => {
    const text = 'rolloutChecksums: {secrets: [a, {name: b, keys: [url]}], configMaps: [c]}'
    expect(readChecksumList(text, 'values.yaml')).toEqual([
      { kind: 'secret', name: 'a', keys: [] },
      { kind: 'secret', name: 'b', keys: ['url'] },
      { kind: 'configmap', name: 'c', keys: [] },
    ])
    expect(readChecksumList('', 'values.yaml')).toEqual([])
  })

  test.each([
    { because: 'a name is not a list', text: 'rolloutChecksums: {secrets: a}' },
    { because: 'an entry must have a name', text: 'rolloutChecksums: {secrets: [{keys: [a]}]}' },
  ])('is rejected: $because', ({ text }) => {
    expect(() => readChecksumList(text, 'values.yaml')).toThrow(/^values.yaml: rolloutChecksums/)
  })
})

describe('digests', () => {
  test('are computed for existing objects, and missing ones are listed', async () => {
    const listed = readChecksumList('rolloutChecksums: {secrets: [a, gone]}', 'v')
    const { values, missing } = await checksumsOf(listed, async (_kind, name) =>
      name === 'a' ? secret : undefined,
    )
    expect(values.secret).toEqual({ a: objectDigest(secret) })
    expect(missing).toEqual([{ kind: 'secret', name: 'gone', keys: [] }])
  })

  test('change with listed keys only', () => {
    const changed = { ...secret, data: { ...secret.data, other: 'eQ==' } }
    expect(objectDigest(changed)).not.toBe(objectDigest(secret))
    expect(objectDigest(changed, ['url'])).toBe(objectDigest(secret, ['url']))
  })

  test('can be keyed, so that equal Secrets of two clusters have different digests', () => {
    const keyed = objectDigest(secret, [], Buffer.from('k'))
    expect(keyed).toMatch(/^[0-9a-f]{64}$/)
    expect(keyed).not.toBe(objectDigest(secret))
  })
})

test('a current file has no drift, and an outdated one lists its differences', () => {
  const now = { secret: { a: '1'.repeat(64) }, configmap: { c: '2'.repeat(64) } }
  expect(driftOf(checksumFile(now), now)).toEqual([])
  const before = checksumFile({ secret: { a: '3'.repeat(64), b: '4'.repeat(64) }, configmap: {} })
  expect(driftOf(before, now)).toEqual([
    { object: 'configmap/c', how: 'not in the file' },
    { object: 'secret/a', how: 'changed' },
    { object: 'secret/b', how: 'no longer listed' },
  ])
  expect(driftOf('', now)).toHaveLength(2)
})

test('the audit finds all objects that pods read and that are not listed', () => {
  const pod = {
    containers: [
      {
        name: 'x',
        env: [{ name: 'URL', valueFrom: { secretKeyRef: { name: 'db', key: 'uri' } } }],
        envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'token' } }],
      },
    ],
    volumes: [
      { name: 'ca', secret: { secretName: 'ca' } },
      { name: 'both', projected: { sources: [{ configMap: { name: 'prompts' } }] } },
    ],
  }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'agents' },
    spec: { template: { spec: pod } },
  }
  const listed = [{ kind: 'secret', name: 'db', keys: [] }] as const
  expect(uncoveredObjects([deployment], listed).map(({ object }) => object)).toEqual([
    'configmap/prompts',
    'configmap/settings',
    'secret/ca',
    'secret/token',
  ])
})
