import { expect, test } from 'vitest'
import { splitOutput } from './runner-line.ts'

function note(run: string) {
  return `${JSON.stringify({ time: '2030-01-01T00:00:00Z', level: 'error', message: 'run finished', run, detail: 'it broke' })}\n`
}

async function split(text: string, size: number) {
  const output: Buffer[] = []
  const notes: string[] = []
  const splitter = splitOutput('one', {
    agent: async (bytes) => void output.push(Buffer.from(bytes)),
    runner: ({ level, message, detail }) => notes.push(`${level} ${message}: ${detail}`),
  })
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) {
    await splitter.write(bytes.subarray(from, from + size))
  }
  await splitter.end()
  return { output: Buffer.concat(output).toString(), notes }
}

// Chunks of any size.
test.each([1, 3, 7, 64, 1_000_000])(
  'notes of the runner are extracted from chunks of %i bytes',
  async (size) => {
    const text = `first ü\n${note('one')}{"a": 1}\n{ not json\n${note('another')}last`
    expect(await split(text, size)).toEqual({
      output: text.replace(note('one'), ''),
      notes: ['error run finished: it broke'],
    })
  },
)

test('a note may have no final line break', async () => {
  expect(await split(note('one').trimEnd(), 10)).toEqual({
    output: '',
    notes: ['error run finished: it broke'],
  })
})

test('an unterminated line of the agent is not held back', async () => {
  const output: string[] = []
  const splitter = splitOutput('one', {
    agent: async (bytes) => void output.push(Buffer.from(bytes).toString()),
    runner: () => undefined,
  })
  await splitter.write(Buffer.from('password: '))
  expect(output).toEqual(['password: '])
  await splitter.write(Buffer.from(`{${'x'.repeat(100_000)}`))
  expect(output.join('')).toHaveLength(100_011)
})
