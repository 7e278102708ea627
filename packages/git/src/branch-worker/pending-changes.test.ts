import { describe, expect, test } from 'vitest'
import { changeSet } from '../testing/test-worker.ts'
import { PendingChanges } from './pending-changes.ts'

const waiting = { resolve: () => undefined, reject: () => undefined }

function shape(pending: PendingChanges) {
  return pending
    .take()
    .map(({ owner, changes }) => [
      owner,
      Object.fromEntries([...changes].map(([path, change]) => [path, String(change)])),
    ])
}

describe('pending changes', () => {
  test('of one owner become one commit', () => {
    const pending = new PendingChanges()
    pending.add(changeSet({ a: '1', b: '1' }), waiting)
    pending.add(changeSet({ a: '2' }), waiting)
    pending.add(changeSet({ b: null }), waiting)
    expect(pending.size).toBe(2)
    expect(shape(pending)).toEqual([['target', { a: '2', b: 'null' }]])
  })

  test('do not overtake another owner’s change of the same path', () => {
    const pending = new PendingChanges()
    pending.add(changeSet({ a: '1' }, 'one'), waiting)
    pending.add(changeSet({ a: '2' }, 'two'), waiting)
    pending.add(changeSet({ a: '3' }, 'one'), waiting)
    expect(shape(pending)).toEqual([
      ['one', { a: '1' }],
      ['two', { a: '2' }],
      ['one', { a: '3' }],
    ])
  })

  test('that could not be pushed join what came meanwhile, and the newer wins', () => {
    const pending = new PendingChanges()
    pending.add(changeSet({ a: '1', b: '1' }, 'one'), waiting)
    pending.take()
    pending.add(changeSet({ a: '2' }, 'one'), waiting)
    pending.add(changeSet({ c: '1' }, 'two'), waiting)
    expect(pending.size).toBe(3)
    pending.putBack()
    expect(shape(pending)).toEqual([
      ['one', { a: '2', b: '1' }],
      ['two', { c: '1' }],
    ])
  })

  test('stay bounded by their paths, however long nothing can be pushed', () => {
    const pending = new PendingChanges()
    for (let round = 0; round < 1_000; round += 1) {
      pending.add(changeSet({ [`path-${round % 10}`]: String(round) }), waiting)
      if (round % 3 === 0) {
        pending.take()
        pending.putBack()
      }
    }
    expect(pending.size).toBe(10)
    expect(pending.take()).toHaveLength(1)
  })

  test('of two authors stay two commits', () => {
    const pending = new PendingChanges()
    const author = { name: 'one', email: 'one@example.test' }
    pending.add({ ...changeSet({ a: '1' }), author }, waiting)
    pending.add(changeSet({ b: '1' }), waiting)
    expect(pending.take().map((commit) => commit.author)).toEqual([author, undefined])
  })
})
