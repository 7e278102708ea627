import { describe, expect, test } from 'vitest'
import { InvalidAuditBatch, readAuditBatch } from './audited-write.ts'

const event = {
  stage: 'ResponseComplete',
  verb: 'update',
  requestURI: '/api/v1/namespaces/team/configmaps/a?fieldManager=kubectl-edit',
  userAgent: 'kubectl/v1.34.0 (linux/amd64)',
  user: { username: 'developer', groups: ['system:authenticated'] },
  objectRef: {
    resource: 'configmaps',
    namespace: 'team',
    name: 'a',
    apiVersion: 'v1',
    resourceVersion: '41',
  },
  responseStatus: { code: 200 },
  requestReceivedTimestamp: '2026-01-02T03:04:05.100000Z',
  stageTimestamp: '2026-01-02T03:04:05.200000Z',
}

function batch(...items: unknown[]): Buffer {
  const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items }
  return Buffer.from(JSON.stringify(list))
}

describe('an audit event', () => {
  test('of a completed write says who made it', () => {
    expect(readAuditBatch(batch(event))).toEqual([
      {
        object: { group: '', resource: 'configmaps', namespace: 'team', name: 'a' },
        subresource: '',
        verb: 'update',
        user: 'developer',
        manager: 'kubectl-edit',
        receivedMs: Date.parse('2026-01-02T03:04:05.100Z'),
        completedMs: Date.parse('2026-01-02T03:04:05.200Z'),
        previousVersion: '41',
        resourceVersion: undefined,
      },
    ])
  })

  test('counts for the impersonated user', () => {
    const [write] = readAuditBatch(
      batch({ ...event, impersonatedUser: { username: 'maintainer' } }),
    )
    expect(write?.user).toBe('maintainer')
  })

  test.each([
    ['/api/v1/namespaces/team/configmaps/a', 'kubectl/v1.34.0 (linux/amd64)', 'kubectl'],
    ['/x?fieldManager=a%20b', 'kubectl/v1', 'a b'],
    ['/x', `${'m'.repeat(200)}/v1`, 'm'.repeat(128)],
    ['/x', undefined, ''],
  ])(
    '%s by %s has the field manager that the API server derives',
    (requestURI, userAgent, manager) => {
      const [write] = readAuditBatch(batch({ ...event, requestURI, userAgent }))
      expect(write?.manager).toBe(manager)
    },
  )

  test('names a generated object and its version if the policy logs responses', () => {
    const { name: _name, ...objectRef } = event.objectRef
    const responseObject = { metadata: { name: 'a-x7k2p', resourceVersion: '42' } }
    const [write] = readAuditBatch(batch({ ...event, verb: 'create', objectRef, responseObject }))
    expect(write?.object.name).toBe('a-x7k2p')
    expect(write?.resourceVersion).toBe('42')
  })

  test.each<[string, object]>([
    ['reads', { verb: 'get' }],
    ['was refused', { responseStatus: { code: 403 } }],
    ['has no answer', { responseStatus: undefined }],
    ['is not complete', { stage: 'RequestReceived' }],
    ['is a dry run', { requestURI: '/api/v1/namespaces/team/configmaps/a?dryRun=All' }],
    ['has no user', { user: {} }],
    ['has an impersonated user without a name', { impersonatedUser: { groups: ['a'] } }],
    ['has no object', { objectRef: undefined }],
    ['has no time', { stageTimestamp: 'yesterday' }],
    [
      'creates an object of unknown name',
      { verb: 'create', objectRef: { resource: 'configmaps' } },
    ],
    ['has a name that no object has', { objectRef: { ...event.objectRef, name: 'x'.repeat(300) } }],
  ])('is ignored if it %s', (_what, part) => {
    expect(readAuditBatch(batch({ ...event, ...part }))).toEqual([])
  })
})

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['another kind', JSON.stringify({ kind: 'Event', apiVersion: 'audit.k8s.io/v1', items: [] })],
  ['another version', JSON.stringify({ kind: 'EventList', apiVersion: 'v1', items: [] })],
  ['no items', JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1' })],
  ['an item that is no object', batch(event, 'x').toString()],
  ['too many items', batch(...Array(10_001).fill({})).toString()],
])('a batch with %s is rejected as a whole', (_what, text) => {
  expect(() => readAuditBatch(Buffer.from(text))).toThrow(InvalidAuditBatch)
})

test('a batch that is not UTF-8 is rejected', () => {
  const bytes = batch({ ...event, user: { username: 'developer' } })
  bytes[bytes.indexOf('developer')] = 0xff
  expect(() => readAuditBatch(bytes)).toThrow(InvalidAuditBatch)
})
