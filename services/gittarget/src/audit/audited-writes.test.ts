import { describe, expect, test } from 'vitest'
import type { ObjectChange } from '../mirror/authors/change-authors.ts'
import { stoppedClock } from '../testing/stopped-clock.ts'
import type { AuditedWrite } from './audited-write.ts'
import { AuditedWrites } from './audited-writes.ts'

const object = { group: '', resource: 'configmaps', namespace: 'team', name: 'a' }
const second = 1_767_323_045_000

function write(part: Partial<AuditedWrite>): AuditedWrite {
  return {
    object,
    subresource: '',
    verb: 'patch',
    user: 'developer',
    manager: 'kubectl',
    receivedMs: second + 100,
    completedMs: second + 200,
    previousVersion: undefined,
    resourceVersion: undefined,
    ...part,
  }
}

function change(part: Partial<ObjectChange> = {}): ObjectChange {
  const time = new Date(second).toISOString().replace('.000', '')
  return {
    object,
    effect: 'update',
    write: { manager: 'kubectl', time, subresources: [''] },
    resourceVersion: '42',
    previousVersion: '41',
    seenMs: second + 150,
    ...part,
  }
}

function userOf(writes: readonly AuditedWrite[], changed = change()): string | undefined {
  const audited = new AuditedWrites({ clock: stoppedClock(), isWatched: () => true })
  for (const one of writes) audited.add(one)
  return audited.userOf(changed)
}

describe('the user of a change', () => {
  test('is that of the write by the same manager in the same second', () => {
    expect(userOf([write({})])).toBe('developer')
    expect(userOf([])).toBeUndefined()
  })

  test('is that of a write that took longer than a second', () => {
    const slow = write({ receivedMs: second - 3_000, completedMs: second + 100 })
    expect(userOf([slow])).toBe('developer')
  })

  test.each<[string, Partial<AuditedWrite>]>([
    ['of another object', { object: { ...object, name: 'b' } }],
    ['in another namespace', { object: { ...object, namespace: 'other' } }],
    ['of another resource', { object: { ...object, resource: 'secrets' } }],
    ['of another group', { object: { ...object, group: 'apps' } }],
    ['of its status', { subresource: 'status' }],
    ['by another manager', { manager: 'argocd-controller' }],
    ['in an earlier second', { receivedMs: second - 900, completedMs: second - 800 }],
    ['in a later second', { receivedMs: second + 1_000, completedMs: second + 1_001 }],
    ['of another version', { verb: 'update', previousVersion: '40' }],
    ['that led to another version', { resourceVersion: '43' }],
    ['that deleted it', { verb: 'delete' }],
  ])('is not that of a write %s', (_what, part) => {
    expect(userOf([write(part)])).toBeUndefined()
  })

  test('is nobody if several users could have made it', () => {
    expect(userOf([write({}), write({ user: 'stranger' })])).toBeUndefined()
    expect(userOf([write({}), write({})])).toBe('developer')
  })

  test('differs from another in the same second by the version of the request', () => {
    const mine = write({ verb: 'update', previousVersion: '41' })
    const next = write({ verb: 'update', previousVersion: '42', user: 'maintainer' })
    expect(userOf([mine, next])).toBe('developer')
  })

  test('who removed fields, which no manager records, is who wrote at that time', () => {
    const removal = change({ write: undefined })
    expect(userOf([write({ manager: 'any' })], removal)).toBe('developer')
    expect(userOf([write({ subresource: 'status' })], removal)).toBeUndefined()
    const late = change({ write: undefined, seenMs: second + 60_000 })
    expect(userOf([write({})], late)).toBeUndefined()
  })

  test('who removed fields is not who made the change before it', () => {
    const audited = new AuditedWrites({ clock: stoppedClock(), isWatched: () => true })
    audited.add(write({}))
    audited.add(write({ user: 'maintainer', manager: 'any', completedMs: second + 900 }))
    const removal = change({ write: undefined, resourceVersion: '43', seenMs: second + 900 })
    expect(audited.userOf(removal)).toBeUndefined()
    expect(audited.userOf(change())).toBe('developer')
    expect(audited.userOf(removal)).toBe('maintainer')
    expect(audited.userOf(change())).toBe('developer')
  })

  test('who deleted an object is known by name, or by collection', () => {
    const deletion = change({ effect: 'delete', write: undefined })
    const collection = { ...object, name: '' }
    expect(userOf([write({ verb: 'delete' })], deletion)).toBe('developer')
    expect(userOf([write({ verb: 'deletecollection', object: collection })], deletion)).toBe(
      'developer',
    )
    expect(userOf([write({ verb: 'patch' })], deletion)).toBeUndefined()
    expect(
      userOf(
        [
          write({ verb: 'delete' }),
          write({ verb: 'deletecollection', object: collection, user: 'b' }),
        ],
        deletion,
      ),
    ).toBeUndefined()
  })

  test('is not known for a change that was not seen itself', () => {
    const unseen = change({ effect: 'delete', write: undefined, resourceVersion: undefined })
    expect(userOf([write({ verb: 'delete' })], unseen)).toBeUndefined()
  })
})

describe('remembered writes', () => {
  test('are only those of watched resources', () => {
    const audited = new AuditedWrites({
      clock: stoppedClock(),
      isWatched: ({ resource }) => resource === 'configmaps',
    })
    expect(audited.add(write({ object: { ...object, resource: 'leases' } }))).toBe(false)
    expect(audited.add(write({}))).toBe(true)
    expect(audited.size).toBe(1)
  })

  test('are limited in number, the oldest are forgotten first', () => {
    const audited = new AuditedWrites({ clock: stoppedClock(), isWatched: () => true })
    audited.add(write({}))
    for (let index = 0; index < 30_000; index += 1) {
      audited.add(write({ object: { ...object, name: `n${index % 20_000}` } }))
    }
    expect(audited.size).toBe(20_000)
    expect(audited.userOf(change())).toBeUndefined()
    expect(audited.userOf(change({ object: { ...object, name: 'n1' } }))).toBe('developer')
  })

  test('are forgotten after ten minutes', async () => {
    const clock = stoppedClock()
    const audited = new AuditedWrites({ clock, isWatched: () => true })
    audited.add(write({}))
    await clock.pass(601_000)
    expect(audited.userOf(change())).toBeUndefined()
    expect(audited.size).toBe(0)
  })
})
