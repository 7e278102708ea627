import { redact } from '@agents/log'
import { describe, expect, test } from 'vitest'
import { event, follow } from '../../../apps/agentctl/src/run/testing/followed-output.ts'
import {
  lookAfter,
  plainLook,
  readAnsi,
  withoutAnsi,
} from '../../../apps/console/src/browser/log/ansi.ts'
import { readerOf } from '../../../services/jangar/src/runner/usage/adapter.ts'
import { createUsageMeter } from '../../../services/jangar/src/runner/usage/usage-meter.ts'
import { readQuery } from '../../../services/jangar/src/server/agents-controller/implementation-source/import/scope-query.ts'
import { growth } from '../../support/work/count-work.ts'

/**
 * Who writes a text that the platform reads must not decide how long that takes: twice the text costs twice the work.
 * Counted in steps, since a clock says little about a busy machine. 1 is linear.
 */
const most = 1.5

/** Longer than what any bounded repetition reads ahead. */
const sizes = { length: 1000, parts: 6 }

function filled(unit: string, before = ''): (length: number) => string {
  return (length) => before + unit.repeat(Math.ceil(length / unit.length))
}

describe('redact', () => {
  test.each([
    { because: 'URLs without end', unit: 'a://b:c/' },
    { because: 'user infos without an at sign', unit: '://a:' },
    { because: 'names without a value', unit: 'password' },
    { because: 'names and spaces', unit: 'password ' },
    { because: 'names and separators', unit: 'token:=' },
    { because: 'open quotes', unit: 'token="' },
    { because: 'backslashes', unit: '\\' },
    { because: 'backslashes and quotes', unit: 'token=\\"\\\\' },
    { because: 'beginnings of tokens', unit: 'ghp_eyJsk-xoxb-' },
    { because: 'beginnings of encoded JSON', unit: 'eyJ.' },
    { because: 'beginnings of private keys', unit: '-----BEGIN RSA ' },
    { because: 'ends of pairs', unit: 'password=a&b' },
    { because: 'Secrets', unit: 'kind: Secret "data":{' },
    { because: 'Secrets in YAML', unit: 'kind: Secret\ndata:\n   ' },
    { because: 'schemes', unit: 'bearer ' },
    { because: 'environment variables', unit: 'name: TOKEN,' },
    { because: 'environment variables without a value', unit: '"name":"A","value":' },
    { because: 'blocks of YAML', unit: 'password: |\n ' },
    { because: 'blocks in blocks', unit: 'password: |\n\n' },
    { because: 'dashes', unit: '-' },
    { because: 'white space', unit: ' \t' },
  ])('reads $because in linear work', async ({ unit }) => {
    const textOf = filled(unit, 'kind: Secret, token ')
    expect(await growth(redact, textOf, sizes)).toBeLessThan(most)
  })
})

describe('the log of the console', () => {
  const esc = '\u001b'

  test.each([
    { because: 'sequences that do not end', unit: `${esc}]` },
    { because: 'controls that do not end', unit: `${esc}[0;` },
    { because: 'controls with many parameters', unit: '1;' },
    { because: 'ends without a beginning', unit: `${esc}\\` },
    { because: 'lone escapes', unit: esc },
    { because: 'colours', unit: `${esc}[31m${esc}[32m` },
    { because: 'blanks', unit: ' ' },
  ])('reads a line of $because in linear work', async ({ unit }) => {
    for (const read of [
      (line: string) => readAnsi(line, plainLook),
      (line: string) => lookAfter(line, plainLook),
      withoutAnsi,
    ]) {
      expect(await growth(read, filled(unit, `${esc}[`), sizes)).toBeLessThan(most)
    }
  })
})

describe('the output of an agent, as agentctl shows it', () => {
  const item = (text: string) => ({
    ...{ type: 'command_execution', command: text, aggregated_output: text, exit_code: 0 },
  })
  const said = (part: object) => ({ type: 'assistant', message: { content: [part] } })

  /** What `agentctl run` renders. */
  const events: Readonly<Record<string, (text: string) => object>> = {
    'a command that starts': (text) => ({ type: 'item.started', item: item(text) }),
    'a command that has ended': (text) => ({ type: 'item.completed', item: item(text) }),
    'an error': (text) => ({ type: 'error', message: text }),
    'a text': (text) => said({ type: 'text', text }),
    'a thought': (text) => said({ type: 'thinking', thinking: text }),
    'a tool': (text) =>
      said({ type: 'tool_use', name: text, input: { command: text, todos: [{ content: text }] } }),
    'a file': (text) => said({ type: 'tool_use', name: 'Write', input: { file_path: text } }),
  }

  test.each([
    { because: 'blanks', unit: ' ' },
    { because: 'line feeds', unit: '\n' },
    { because: 'shells', unit: 'sh -c ' },
    { because: 'control characters', unit: '\u001b[' },
    { because: 'braces', unit: '{' },
  ])('is read in linear work: $because', async ({ unit }) => {
    const textOf = (length: number) => `x${filled(unit)(length)}y`
    for (const [name, of] of Object.entries(events)) {
      const show = async (text: string) => {
        const { write, end } = follow()
        await write(Buffer.from(event(of(text))))
        await end()
      }
      expect(await growth(show, textOf, sizes), name).toBeLessThan(most)
    }
  })
})

test('a rate limit is looked for in the beginning of an error alone', async () => {
  const read = (message: string) => {
    const meter = createUsageMeter(readerOf('codex'))
    meter.line(JSON.stringify({ type: 'error', message }))
    return meter.rateLimit()
  }
  const lengths = { length: 100_000, parts: 8 }
  expect(await growth(read, filled('status 429 retry '), lengths)).toBeLessThan(0.2)
})

test.each(['a:"', '"', '-', 'a,', 'label:a,', '(', 'x ', 'AND '])(
  'a query of an ImplementationSource is read in linear work: %s',
  async (unit) => {
    expect(await growth(readQuery, filled(unit), { length: 128, parts: 8 })).toBeLessThan(most)
  },
)
