import { expect, test } from 'vitest'
import { runsIn, withOwnSection } from './own-section.ts'

const first = '11111111-1111-4111-8111-111111111111'
const second = '22222222-2222-4222-8222-222222222222'

test('a new description is the section', () => {
  const body = withOwnSection('', { uid: first, text: 'One.' })
  expect(body).toContain('One.')
  expect(runsIn(body)).toEqual([first])
})

test('the next run replaces the section and keeps what people wrote around it', () => {
  const before = `Above.\n${withOwnSection('', { uid: first, text: 'One.' })}\nBelow.`
  const after = withOwnSection(before, { uid: second, text: 'Two $& $1.' })
  expect(after).toMatch(/^Above\.\n<!-- agents:begin/)
  expect(after).toMatch(/agents:end -->\nBelow\.$/)
  expect(after).toContain('Two $& $1.')
  expect(after).not.toContain('One.')
  expect(runsIn(after)).toEqual([first, second])
  expect(withOwnSection(after, { uid: second, text: 'Two $& $1.' })).toBe(after)
})

test('a description of a person is left as it is', () => {
  expect(withOwnSection('Mine.', { uid: first, text: 'One.' })).toBe('Mine.')
  expect(runsIn('Mine.')).toEqual([])
})

test('the number of runs is bounded', () => {
  let body = ''
  for (let at = 0; at < 50; at++) {
    const uid = `${String(at).padStart(8, '0')}-1111-4111-8111-111111111111`
    body = withOwnSection(body, { uid, text: 'x' })
  }
  expect(runsIn(body)).toHaveLength(20)
  expect(runsIn(body).at(-1)).toContain('00000049')
})

test('a description in which sections begin and never end is read once', () => {
  // Anybody may write into it, and forges take a mebibyte. Read again from each beginning, it takes minutes.
  const body = '<!-- agents:begin a -->'.repeat(2 ** 18)
  expect(runsIn(body)).toEqual([])
  expect(withOwnSection(body, { uid: first, text: 'One.' })).toBe(body)
})
