import { describe, expect, test } from 'vitest'
import { createStyle } from '../cli/style.ts'
import { createTranscript } from '../transcript/transcript.ts'
import { event, follow } from './testing/followed-output.ts'

async function shown(output: string) {
  let text = ''
  const { write, end, notes } = follow((more) => {
    text += more
  })
  await write(Buffer.from(output))
  await end()
  return { text, notes }
}

describe('an agent', () => {
  test('does not fill the memory by events that nobody reads', async () => {
    const reader = Promise.withResolvers<void>()
    let isAsked = false
    const transcript = createTranscript({
      write: () => undefined,
      pour: () => {
        isAsked = true
        return reader.promise
      },
      style: createStyle(false),
    })
    const text = event({ type: 'item.completed', item: { type: 'agent_message', text: 'hello' } })
    const order: string[] = []
    const writing = transcript.write(Buffer.from(text)).then(() => void order.push('written'))
    await expect.poll(() => isAsked).toBe(true)
    await new Promise(setImmediate)
    order.push('read')
    reader.resolve()
    await writing
    expect(order).toEqual(['read', 'written'])
  })

  test.each([
    { because: 'blanks', filler: ' ' },
    { because: 'line feeds', filler: '\n' },
    { because: 'shells', filler: 'sh -c ' },
    { because: 'control characters', filler: '\u001b[' },
    { because: 'braces', filler: '{' },
  ])('survives 256 KiB of $because', async ({ filler }) => {
    const text = `x${filler.repeat(Math.floor((1 << 18) / filler.length))}y`
    const item = { type: 'command_execution', command: text, aggregated_output: text, exit_code: 0 }
    const input = { command: text, todos: [{ content: text }] }
    const content = [
      { type: 'text', text },
      { type: 'thinking', thinking: text },
      { type: 'tool_use', name: text, input },
      { type: 'tool_use', name: 'Write', input: { file_path: text } },
    ]
    const events = [
      event({ type: 'item.started', item }),
      event({ type: 'item.completed', item }),
      event({ type: 'error', message: text }),
      ...content.map((part) => event({ type: 'assistant', message: { content: [part] } })),
    ]
    for (const one of events) expect((await shown(one)).text).not.toBe('')
  })

  test.each([
    { because: 'clears the screen', sequence: '\u001b[2J\u001b[H' },
    { because: 'writes to the clipboard', sequence: '\u001b]52;c;Zm9v\u0007' },
    { because: 'sets the title', sequence: '\u001b]0;root@host\u001b\\' },
    {
      because: 'makes a link',
      sequence: '\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u001b\\',
    },
    { because: 'asks the terminal to answer', sequence: '\u001b[6n\u001bP$q"p\u001b\\' },
    { because: 'uses C1 characters', sequence: '\u009b2J\u009d0;t\u009c' },
  ])('that $because has it shown as text, in every event', async ({ sequence }) => {
    const item = { type: 'command_execution', command: sequence, aggregated_output: sequence }
    const input = { command: sequence }
    const content = [
      { type: 'text', text: sequence },
      { type: 'thinking', thinking: sequence },
      { type: 'tool_use', name: sequence, input },
      { type: 'tool_use', name: 'TodoWrite', input: { todos: [{ content: sequence }] } },
    ]
    const events = [
      event({ type: 'item.started', item }),
      event({ type: 'item.completed', item }),
      event({ type: 'error', message: sequence }),
      event({ type: 'message', role: 'assistant', content: sequence, delta: true }),
      event({ type: 'assistant', message: { content } }),
    ]
    const { text } = await shown(events.join(''))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    expect(text).toMatch(/\^\[|<U\+009B>/)
  })

  test('cannot imitate the runner by a line that is longer than its lines', async () => {
    const fake = { time: '2030-01-01T00:00:00Z', level: 'error', message: 'fake', run: 'demo' }
    const line = event({ ...fake, detail: 'x'.repeat(70_000) })
    expect(await shown(line)).toEqual({ text: line, notes: [] })
  })

  test('has a line shown that imitates the runner, as the runner passes it on', async () => {
    const fake = { time: '2030-01-01T00:00:00Z', level: 'info', message: 'fake', run: 'demo' }
    expect(await shown(` ${event(fake)}`)).toEqual({ text: ` ${event(fake)}`, notes: [] })
  })
})
