import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PodSlots } from './pod-slots.ts'

test('the oldest waiting pod is next', () => {
  const slots = new PodSlots(1)
  expect(slots.take('a', 'n/a', '1')).toBe(true)
  expect(slots.take('late', 'n/late', '3')).toBe(false)
  expect(slots.take('early', 'n/early', '2')).toBe(false)
  expect(slots.free('a')).toBe('n/early')
  expect(slots.take('early', 'n/early', '2')).toBe(true)
  slots.forget('n/late')
  expect(slots.free('early')).toBeUndefined()
})

test('a pod that is already on the node has a slot, even beyond the capacity', () => {
  const slots = new PodSlots(1)
  slots.occupy('a', 'n/a')
  slots.occupy('b', 'n/b')
  expect(slots.take('c', 'n/c', '1')).toBe(false)
  expect(slots.free('a')).toBeUndefined()
  expect(slots.free('b')).toBe('n/c')
})

test('a reserved slot is taken until its pod arrives', () => {
  const slots = new PodSlots(2)
  expect(slots.reserve('n/a')).toBe(true)
  expect(slots.reserve('n/b')).toBe(true)
  expect(slots.reserve('n/c')).toBe(false)
  slots.occupy('a', 'n/a')
  expect(slots.reserve('n/c')).toBe(false)
  expect(slots.take('c', 'n/c', '1')).toBe(false)
  expect(slots.unreserve('n/b')).toBe('n/c')
  expect(slots.unreserve('n/b')).toBeUndefined()
})

test('no slot can be reserved while pods wait for one', () => {
  const slots = new PodSlots(1)
  slots.take('a', 'n/a', '1')
  slots.take('b', 'n/b', '2')
  slots.take('c', 'n/c', '3')
  expect(slots.free('a')).toBe('n/b')
  expect(slots.reserve('n/d')).toBe(false)
})

test('freeing a slot twice has the effect of once', () => {
  const slots = new PodSlots(1)
  slots.take('a', 'n/a', '1')
  slots.take('b', 'n/b', '1')
  expect(slots.free('a')).toBe('n/b')
  expect(slots.free('a')).toBeUndefined()
})

test('the capacity is never exceeded, and every pod eventually gets a slot', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 40 }), (most, count) => {
      const slots = new PodSlots(most)
      const running: string[] = []
      const done: string[] = []
      const ask = (uid: string) => {
        if (slots.take(uid, uid, '1')) running.push(uid)
        expect(slots.taken).toBeLessThanOrEqual(most)
      }
      for (let index = 0; index < count; index += 1) ask(`p${index}`)
      for (let uid = running.shift(); uid; uid = running.shift()) {
        done.push(uid)
        const next = slots.free(uid)
        if (next !== undefined) ask(next)
      }
      expect(done).toHaveLength(count)
    }),
  )
})
