import { globSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createStyle } from '../cli/style.ts'
import { renderText } from '../cli/terminal-text.ts'
import { createTranscript } from './transcript.ts'

/** What a person sees of an agent's output that arrives in these chunks. */
async function shown(...chunks: readonly (string | Uint8Array)[]): Promise<string> {
  let text = ''
  const transcript = createTranscript({
    write: (line) => {
      text += renderText(line)
    },
    pour: async (bytes) => {
      text += Buffer.from(bytes).toString('utf8')
    },
    style: createStyle(false),
  })
  for (const chunk of chunks) await transcript.write(Buffer.from(chunk))
  await transcript.end()
  return text
}

const golden = join(import.meta.dirname, 'golden')
const recorded = join(import.meta.dirname, '../../../../packages/agent-events/src/golden')
const streams = globSync('*.{jsonl,txt}', { cwd: recorded })

describe('the recorded output of', () => {
  test.each(streams.toSorted())('%s is readable', async (file) => {
    const name = basename(file, extname(file))
    const stream = readFileSync(join(recorded, file))
    const text = await shown(stream)
    await expect(text).toMatchFileSnapshot(join(golden, `${name}.txt`))
    const bytes = Array.from({ length: stream.length }, (_, at) => stream.subarray(at, at + 1))
    expect(await shown(...bytes)).toBe(text)
  })
})

describe('output that is no event', () => {
  test.each([
    { because: 'text', output: 'installing\r\ndone\n' },
    { because: 'text without a line feed', output: 'done' },
    { because: 'JSON of another program', output: '{"type":"lint","errors":3}\n' },
    { because: 'JSON without a type', output: '{"result":1}\n' },
    { because: 'broken JSON', output: '{"type":"assistant","message":\n' },
    { because: 'deeply nested JSON', output: `{"type":${'['.repeat(100_000)}\n` },
    { because: 'an event without its members', output: '{"type":"assistant"}\n{"type":"error"}\n' },
    {
      because: 'a line that is too long',
      output: `{"type":"result","subtype":"${'x'.repeat(5 << 20)}"}\n`,
    },
  ])('is shown as it is: $because', async ({ output }) => {
    const half = Math.floor(output.length / 2)
    for (const chunks of [[output], [output.slice(0, half), output.slice(half)]]) {
      // Not compared by the assertion, which would print megabytes.
      expect((await shown(...chunks)) === output).toBe(true)
    }
  })
})

describe('an agent', () => {
  const event = (value: object) => `${JSON.stringify(value)}\n`
  const says = (text: string) =>
    event({ type: 'item.completed', item: { type: 'agent_message', text } })

  test('cannot send control sequences in its messages', async () => {
    expect(await shown(says('\u001b]52;c;AAAA\u0007\u001b[2Jgone\u202e'))).toBe(
      '^[]52;c;AAAA^G^[[2Jgone<U+202E>\n',
    )
  })

  test('continues a message over several events, and a new line begins after it', async () => {
    const part = (content: string) =>
      event({ type: 'message', role: 'assistant', content, delta: true })
    expect(await shown(part('one '), part('two'), 'plain\n', part('three'))).toBe(
      'one two\nplain\nthree\n',
    )
  })

  test('has only the beginning of long results shown', async () => {
    const aggregated_output = Array.from({ length: 50_000 }, (_, at) => `line ${at}`).join('\n')
    const item = { type: 'command_execution', exit_code: 0, aggregated_output }
    const text = await shown(event({ type: 'item.completed', item }))
    expect(text.split('\n').slice(5)).toEqual(['    line 5', '    … 49,994 more lines', ''])
  })

  test('calls a tool on one line, however long its arguments are', async () => {
    const input = { command: `echo\n${'x'.repeat(10_000)}` }
    const message = { content: [{ type: 'tool_use', name: 'Ba\nsh', input }] }
    const text = await shown(event({ type: 'assistant', message }))
    expect(text).toMatch(/^> Ba ⏎ sh echo ⏎ x+…\n$/)
    expect(text.length).toBeLessThan(200)
  })
})
