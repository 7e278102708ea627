import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { usageInLog } from './session-log.ts'

function lines(...events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

function count(input_tokens: number, output_tokens: number) {
  const total_token_usage = { input_tokens, cached_input_tokens: 4, output_tokens }
  return { type: 'event_msg', payload: { type: 'token_count', info: { total_token_usage } } }
}

function message(id: string, output_tokens: number) {
  const usage = { input_tokens: 6, cache_read_input_tokens: 4, output_tokens }
  return { type: 'assistant', message: { id, usage, content: [] } }
}

function createHome() {
  const home = mkdtempSync(join(tmpdir(), 'session-log-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const codex = join(home, '.codex', 'sessions', '2026', '01', '02')
  const claude = join(home, '.claude', 'projects', '-workspace-repo')
  mkdirSync(codex, { recursive: true })
  mkdirSync(claude, { recursive: true })
  return { home, codex, claude }
}

describe('the usage in the log of a conversation', () => {
  test('of Codex is the last count', async () => {
    const { home, codex } = createHome()
    writeFileSync(join(codex, 'rollout-1-abc.jsonl'), lines(count(10, 1), count(30, 2)))
    writeFileSync(join(codex, 'rollout-2-def.jsonl'), lines(count(1000, 1000)))
    const usage = { inputTokens: 30, cachedInputTokens: 4, outputTokens: 2, totalTokens: 32 }
    expect(await usageInLog('codex', 'abc', { HOME: home })).toEqual(usage)
    const inFolder = { CODEX_HOME: join(home, '.codex'), HOME: '/nowhere' }
    expect(await usageInLog('codex', 'abc', inFolder)).toEqual(usage)
  })

  test('of Claude Code is the sum of its messages, each counted once', async () => {
    const { home, claude } = createHome()
    const events = [message('a', 1), message('a', 5), message('b', 7), { type: 'user' }]
    writeFileSync(join(claude, 'abc.jsonl'), lines(...events))
    expect(await usageInLog('claude-code', 'abc', { HOME: home })).toEqual({
      inputTokens: 20,
      cachedInputTokens: 8,
      outputTokens: 12,
      totalTokens: 32,
    })
  })

  test('of gemini-cli is the sum of its messages, each counted once', async () => {
    const { home } = createHome()
    const chats = join(home, '.gemini', 'tmp', 'repo', 'chats')
    mkdirSync(chats, { recursive: true })
    const answer = (id: string, output: number) => ({
      id,
      type: 'gemini',
      tokens: { input: 10, output, cached: 4, thoughts: 2, total: 12 + output },
    })
    const events = [
      { sessionId: 'abcdefgh-1', kind: 'main' },
      { id: 'u', type: 'user', content: [{ text: 'tokens' }] },
      answer('a', 5),
      { ...answer('a', 5), toolCalls: [] },
      answer('b', 7),
    ]
    writeFileSync(join(chats, 'session-2026-01-02T03-04-abcdefgh.jsonl'), lines(...events))
    writeFileSync(join(chats, 'session-2026-01-02T03-05-other678.jsonl'), lines(answer('c', 1000)))
    const usage = { inputTokens: 20, cachedInputTokens: 8, outputTokens: 16, totalTokens: 36 }
    expect(await usageInLog('gemini-cli', 'abcdefgh-1', { HOME: home })).toEqual(usage)
    const inFolder = { GEMINI_CLI_HOME: home, HOME: '/nowhere' }
    expect(await usageInLog('gemini-cli', 'abcdefgh-1', inFolder)).toEqual(usage)
    expect(await usageInLog('gemini-cli', 'abc', { HOME: home })).toBeUndefined()
  })

  test('is in no text that a tool printed', async () => {
    const { home, codex } = createHome()
    const text = `\n${lines(count(1000, 1000))}`
    writeFileSync(join(codex, 'rollout-1-abc.jsonl'), lines({ type: 'response_item', text }))
    expect(await usageInLog('codex', 'abc', { HOME: home })).toBeUndefined()
  })

  test.each([
    { because: 'no conversation', session: undefined },
    { because: 'a path', session: '../../../elsewhere' },
    { because: 'an empty name', session: '' },
  ])('is not looked for: $because', async ({ session }) => {
    const { home, claude } = createHome()
    writeFileSync(join(home, 'elsewhere.jsonl'), lines(message('a', 1)))
    writeFileSync(join(claude, '.jsonl'), lines(message('a', 1)))
    expect(await usageInLog('claude-code', session, { HOME: home })).toBeUndefined()
  })

  test.each([
    { because: 'a link', make: (path: string) => symlinkSync('../../../elsewhere', path) },
    { because: 'a pipe', make: (path: string) => execFileSync('mkfifo', [path]) },
    { because: 'a folder', make: (path: string) => mkdirSync(path) },
  ])('is not read from $because', async ({ make }) => {
    const { home, claude } = createHome()
    writeFileSync(join(home, 'elsewhere'), lines(message('a', 1)))
    make(join(claude, 'abc.jsonl'))
    expect(await usageInLog('claude-code', 'abc', { HOME: home })).toBeUndefined()
  })

  test('is not looked for in endless folders', async () => {
    const { home, claude } = createHome()
    const many = Array.from({ length: 10_001 }, (_, at) => join(claude, `${at}`))
    for (const path of many) writeFileSync(path, '')
    mkdirSync(join(home, '.claude', 'projects', '-a'))
    writeFileSync(join(home, '.claude', 'projects', '-a', 'abc.jsonl'), lines(message('a', 1)))
    expect(await usageInLog('claude-code', 'abc', { HOME: home })).toBeUndefined()
  })
})
