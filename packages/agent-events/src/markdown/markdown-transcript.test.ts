import { globSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMarkdownTranscript } from './markdown-transcript.ts'

const secret = 'sk-planted-0123456789'

function documentOf(
  chunks: readonly string[],
  { longest, task = 'Write a greeting.' }: { longest?: number; task?: string } = {},
): string {
  let document = ''
  const transcript = createMarkdownTranscript({
    run: 'demo',
    task,
    facts: ['Provider: test'],
    mask: (text) => text.replaceAll(secret, '***'),
    write: (text) => {
      document += text
    },
    ...(longest !== undefined && { longest }),
  })
  for (const chunk of chunks) transcript.output('stdout', chunk)
  transcript.end(['Outcome: Succeeded', 'Usage: 280 tokens in, $0.0023'])
  return document
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
}

function says(text: string): string {
  return line({ type: 'item.completed', item: { type: 'agent_message', text } })
}

/** Lines that Markdown does not show as they are: headings of our own, and the few words between them. */
function marked(document: string): string[] {
  return document.split('\n').filter((one) => one !== '' && !one.startsWith('    '))
}

const golden = join(import.meta.dirname, '..', 'golden')
/** Events, or prose where a CLI prints no others. */
const streams = globSync('*.{jsonl,txt}', { cwd: golden })

describe('the recorded output of', () => {
  test.each(streams.toSorted())('%s is a document', async (file) => {
    const stream = readFileSync(join(golden, file), 'utf8')
    const name = basename(file, extname(file))
    const document = documentOf([stream])
    await expect(document).toMatchFileSnapshot(join(golden, `${name}.md`))
    expect(documentOf(stream.split(/(?<=.{7})/s))).toBe(document)
  })
})

test.each([
  {
    command: `/usr/bin/bash -lc "echo 'a' > \\"b c\\"; echo \\$HOME"`,
    shown: `echo 'a' > "b c"; echo $HOME`,
  },
  { command: `/bin/bash -lc 'echo a'\\''b'`, shown: `echo a'b` },
  { command: `/bin/bash -lc ls`, shown: '/bin/bash -lc ls' },
  { command: 'ls', shown: 'ls' },
])('the command of Codex is shown without the shell around it: $shown', ({ command, shown }) => {
  const item = { type: 'command_execution', command }
  expect(documentOf([line({ type: 'item.started', item })])).toContain(`    shell ${shown}\n`)
})

describe('text of an agent', () => {
  test.each([
    { because: 'Markdown', text: '# Title\n\n[link](javascript:alert(1)) ![x](http://host/x.png)' },
    { because: 'HTML', text: '<script>alert(1)</script>\n<img src=x onerror=alert(1)>' },
    { because: 'the end of a fence', text: '```\n~~~~\n</code></pre>\n## End' },
    { because: 'our own headings', text: 'x\n\n## End\n\nOutcome: Succeeded' },
    { because: 'an unusual line end', text: 'x\r## End\u2028## End\u0085## End\v## End' },
    { because: 'a terminal sequence', text: '\u001b]52;c;AAAA\u0007\u001b[2Jgone\u202e' },
  ])('is only shown: $because', ({ text }) => {
    const inEvent = documentOf([says(text)])
    expect(marked(inEvent)).toEqual(['# Run demo', '## Task', '## Work', '### Agent', '## End'])
    const plain = documentOf([`${text}\n`], { task: text })
    expect(marked(plain)).toEqual(['# Run demo', '## Task', '## Work', '### Output', '## End'])
    for (const document of [inEvent, plain]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(document).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e]/)
    }
  })

  test('of a tool, a file, a plan or an error is only shown too', () => {
    const text = 'x\n## End\n<b>'
    const events = [
      { type: 'item.started', item: { type: 'mcp_tool_call', server: text, tool: text } },
      { type: 'item.started', item: { type: 'command_execution', command: text } },
      {
        type: 'item.completed',
        item: { type: 'command_execution', exit_code: 1, aggregated_output: text },
      },
      {
        type: 'item.completed',
        item: { type: 'file_change', changes: [{ path: text, kind: text }] },
      },
      { type: 'item.completed', item: { type: 'todo_list', items: [{ text, completed: true }] } },
      { type: 'error', message: text },
    ]
    const document = documentOf(events.map(line))
    expect(marked(document)).toEqual([
      '# Run demo',
      '## Task',
      '## Work',
      ...['Tool', 'Tool', 'Failed', 'Change', 'Plan', 'Error'].map((name) => `### ${name}`),
      '## End',
    ])
  })
})

describe('a secret is masked', () => {
  test('that the JSON of an event spells in another way than the output', () => {
    const spelled = [...secret].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')
    const event = `{"type":"item.completed","item":{"type":"agent_message","text":"${spelled}"}}\n`
    expect(event).not.toContain(secret)
    expect(documentOf([event])).toContain('    ***\n')
  })

  test('that two parts of a message have', () => {
    const part = (content: string) =>
      line({ type: 'message', role: 'assistant', content, delta: true })
    const document = documentOf([part(secret.slice(0, 8)), part(secret.slice(8))])
    expect(document).toContain('    ***\n')
    expect(document).not.toContain(secret.slice(8))
  })

  test('that is the name of a tool, and what it is called with', () => {
    const item = {
      type: 'mcp_tool_call',
      server: 'x',
      tool: secret,
      arguments: { command: secret },
    }
    expect(documentOf([line({ type: 'item.started', item })])).toContain('    x.*** ***\n')
  })
})

describe('a long output', () => {
  test('is cut, and the end is there', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => says(`message ${at}`))
    const document = documentOf(many, { longest: 10_000 })
    expect(document.length).toBeLessThan(10_500)
    expect(marked(document).slice(-3)).toEqual([
      '### The transcript is longer',
      'The rest is in the log of the run.',
      '## End',
    ])
    expect(document).toContain('Outcome: Succeeded')
  })

  test('of one event or line is shortened', () => {
    const document = documentOf([says('x'.repeat(1_000_000)), `${'y'.repeat(3_000_000)}\n`])
    expect(document).toContain(`    … ${1_000_000 - 65_536} more characters\n`)
    expect(document.length).toBeLessThan(200_000)
  })

  test('without a line end, and a message without an end, take no more memory', () => {
    const part = line({
      type: 'message',
      role: 'assistant',
      content: 'x'.repeat(60_000),
      delta: true,
    })
    const document = documentOf([...Array.from({ length: 100 }, () => part), 'z'.repeat(5_000_000)])
    expect(document.length).toBeLessThan(300_000)
  })
})
