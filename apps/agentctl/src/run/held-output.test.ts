import { expect, test } from 'vitest'
import { event, follow } from './testing/followed-output.ts'

const mebibyte = 1 << 20
const message = { type: 'item.completed', item: { type: 'agent_message', text: 'x'.repeat(900) } }

// A full run measures the memory that a gigabyte takes.
test.each([
  { because: 'lines', piece: `${'x'.repeat(99)}\n`, shownShare: 1 },
  { because: 'one line', piece: 'x', shownShare: 1 },
  { because: 'one line that begins like an event', first: '{"type":"', piece: 'x', shownShare: 1 },
  { because: 'events', piece: event(message), shownShare: 900 / event(message).length },
])('output of $because is shown as it comes, and little of it held', async (row) => {
  const { first = '', piece, shownShare } = row
  const chunk = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
  const { write, end, bytes } = follow()
  await write(Buffer.from(first))
  let given = 0
  let most = 0
  while (given < 16 * mebibyte) {
    await write(chunk)
    given += chunk.length * shownShare
    most = Math.max(most, given - bytes())
  }
  await end()
  // The longest line that is read before it is shown.
  expect(most).toBeLessThanOrEqual(4 * mebibyte)
})
