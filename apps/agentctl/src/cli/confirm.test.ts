import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { CommandContext } from './command-context.ts'
import { confirm } from './confirm.ts'

function asked(stdin: PassThrough, stop = new AbortController()) {
  const shown: string[] = []
  const context = {
    terminal: { stdin },
    stderr: { write: (text: string) => shown.push(text) },
    stop: stop.signal,
  } as unknown as CommandContext
  return { answer: confirm('Restore 2 objects?', context), shown, stop }
}

test.each([
  { line: 'y\n', expected: true },
  { line: ' YES \r\n', expected: true },
  { line: '\n', expected: false },
  { line: 'n\n', expected: false },
  { line: 'yesterday\n', expected: false },
])('$line is $expected', async ({ line, expected }) => {
  const stdin = new PassThrough()
  const { answer, shown } = asked(stdin)
  stdin.write(line)
  expect(await answer).toBe(expected)
  expect(shown).toEqual(['Restore 2 objects? [y/N] '])
})

test('the end of the input is a no', async () => {
  const stdin = new PassThrough()
  const { answer } = asked(stdin)
  stdin.end()
  expect(await answer).toBe(false)
})

test('Ctrl-C ends the question', async () => {
  const { answer, stop } = asked(new PassThrough())
  stop.abort(new Error('stopped on request'))
  await expect(answer).rejects.toThrow('stopped on request')
})
