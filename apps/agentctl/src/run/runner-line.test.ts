import { expect, test } from 'vitest'
import { splitOutput } from './runner-line.ts'

const note = (run: string) =>
  `${JSON.stringify({ time: '2030-01-01T00:00:00Z', level: 'error', message: 'run finished', run, detail: 'it broke' })}\n`

async function split(text: string, size: number) {
  const said: Buffer[] = []
  const notes: string[] = []
  const splitter = splitOutput('one', {
    agent: async (bytes) => void said.push(Buffer.from(bytes)),
    runner: ({ level, message, detail }) => notes.push(`${level} ${message}: ${detail}`),
  })
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) {
    await splitter.write(bytes.subarray(from, from + size))
  }
  await splitter.end()
  return { said: Buffer.concat(said).toString(), notes }
}

// However the bytes arrive.
test.each([1, 3, 7, 64, 1_000_000])(
  'notes of the runner are taken out, in pieces of %i',
  async (size) => {
    const text = `first ü\n${note('one')}{"a": 1}\n{ not json\n${note('another')}last`
    expect(await split(text, size)).toEqual({
      said: text.replace(note('one'), ''),
      notes: ['error run finished: it broke'],
    })
  },
)

test('a note without an end of line is one too', async () => {
  expect(await split(note('one').trimEnd(), 10)).toEqual({
    said: '',
    notes: ['error run finished: it broke'],
  })
})

test('what the agent has begun to say is not held back', async () => {
  const said: string[] = []
  const splitter = splitOutput('one', {
    agent: async (bytes) => void said.push(Buffer.from(bytes).toString()),
    runner: () => undefined,
  })
  await splitter.write(Buffer.from('password: '))
  expect(said).toEqual(['password: '])
  await splitter.write(Buffer.from(`{${'x'.repeat(100_000)}`))
  expect(said.join('')).toHaveLength(100_011)
})
