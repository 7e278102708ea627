import { memoryUsage } from 'node:process'
import { describe, expect, test } from 'vitest'
import { event, follow } from './testing/followed-output.ts'

const gigabyte = 1 << 30
// Where each line is looked at, a gigabyte takes half a minute.
const much = 384 << 20

describe('output without end', () => {
  const message = { type: 'item.completed', item: { type: 'agent_message', text: 'x'.repeat(900) } }
  const fake = { time: '2030-01-01T00:00:00Z', level: 'info', message: 'x', run: 'demo' }

  test.each([
    { because: 'lines', amount: much, piece: `${'x'.repeat(99)}\n` },
    { because: 'one line', piece: 'x' },
    { because: 'one line that begins like an event', first: '{"type":"', piece: 'x' },
    { because: 'events', amount: much, piece: event(message) },
    { because: 'lines of the runner', amount: much, piece: event(fake), isHidden: true },
  ])(
    'of $because is shown in little memory',
    async ({ first = '', piece, isHidden, amount = gigabyte }) => {
      const chunk = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
      const { write, end, bytes } = follow()
      await write(Buffer.from(first))
      const before = memoryUsage.rss()
      let most = 0
      let given = 0
      for (let count = 0; given < amount; count++) {
        await write(chunk)
        given += chunk.length
        if (count % 256 === 0) most = Math.max(most, memoryUsage.rss() - before)
      }
      await end()
      expect(most).toBeLessThan(200 << 20)
      if (isHidden !== true) expect(bytes()).toBeGreaterThan(amount * 0.8)
    },
  )
})
