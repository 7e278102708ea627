import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHarness } from '../testing/runner-harness.ts'

const implementation = {
  text: 'Fix it.',
  description: 'It is broken.',
  acceptanceCriteria: ['It works', 'It is tested'],
}
const task = `Fix it.

## Description

It is broken.

## Acceptance criteria

- It works
- It is tested
`
const systemPrompt = 'Be brief.'

/** Prints its arguments, some of its environment, its input, and files. */
const program = `
const { readFileSync } = require('node:fs')
const [, ...args] = process.argv
const { CODEX_HOME, GEMINI_CLI_HOME, OPENCODE_CONFIG_CONTENT, CODEX_API_KEY } = process.env
const { ANTHROPIC_MODEL, GEMINI_MODEL, AIDER_MODEL } = process.env
function read(path) { try { return readFileSync(path, 'utf8') } catch { return null } }
console.log(JSON.stringify({
  args: args.map((arg) => arg.startsWith('/') ? read(arg) : arg),
  stdin: process.argv.includes('--message-file') ? null : readFileSync(0, 'utf8'),
  agents: CODEX_HOME && read(CODEX_HOME + '/AGENTS.md'),
  config: CODEX_HOME && read(CODEX_HOME + '/config.toml'),
  key: CODEX_API_KEY,
  model: ANTHROPIC_MODEL ?? GEMINI_MODEL ?? AIDER_MODEL,
  gemini: GEMINI_CLI_HOME && read(GEMINI_CLI_HOME + '/.gemini/GEMINI.md'),
  settings: GEMINI_CLI_HOME && read(GEMINI_CLI_HOME + '/.gemini/settings.json'),
  opencode: OPENCODE_CONFIG_CONTENT && JSON.parse(OPENCODE_CONFIG_CONTENT),
}))
`

async function given(cli: string, env: Readonly<Record<string, string>> = {}) {
  const harness = createHarness()
  const ran = await harness.run({
    run: { implementation, systemPrompt },
    runner: { cli },
    env,
    argv: ['--', process.execPath, '-e', program, 'end'],
  })
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0)
  return { harness, seen: JSON.parse(ran.stdout) as Record<string, unknown> }
}

test('codex reads the task from its input and the system prompt from its home', async () => {
  const env = { OPENAI_API_KEY: 'sk-0123456789', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
  const { seen } = await given('codex', env)
  expect(seen).toMatchObject({ args: ['end'], stdin: task, agents: systemPrompt })
  expect(seen.config).toBe('openai_base_url = "http://127.0.0.1:9/v1"\n')
})

test('codex keeps what its home held, and the runner writes nothing into that', async () => {
  const { workspace } = createHarness()
  writeFileSync(join(workspace, 'AGENTS.md'), 'House rules.\n')
  writeFileSync(join(workspace, 'config.toml'), 'model = "m"\n')
  const { seen } = await given('codex', { CODEX_HOME: workspace })
  expect(seen).toMatchObject({ agents: 'House rules.\n\nBe brief.', config: 'model = "m"\n' })
  expect(readFileSync(join(workspace, 'AGENTS.md'), 'utf8')).toBe('House rules.\n')
})

test('claude-code gets a file with the system prompt', async () => {
  const { seen } = await given('claude-code')
  expect(seen).toMatchObject({
    args: ['end', '--append-system-prompt-file', systemPrompt],
    stdin: task,
  })
})

test('gemini-cli reads the system prompt from its home, and signs in with the key', async () => {
  const { seen } = await given('gemini-cli', { GEMINI_API_KEY: 'k-0123456789' })
  expect(seen).toMatchObject({ stdin: task, gemini: systemPrompt })
  expect(seen.settings).toContain('gemini-api-key')
})

test('opencode gets the system prompt beside the instructions of its configuration', async () => {
  const config = JSON.stringify({ model: 'a/b', instructions: ['RULES.md'] })
  const { harness, seen } = await given('opencode', { OPENCODE_CONFIG_CONTENT: config })
  expect(seen).toMatchObject({
    stdin: task,
    opencode: {
      model: 'a/b',
      instructions: ['RULES.md', `${harness.workspace}/.agent/system-prompt.txt`],
    },
  })
})

test('aider gets files with the task and the system prompt', async () => {
  const { seen } = await given('aider')
  expect(seen).toMatchObject({ args: ['end', '--message-file', task, '--read', systemPrompt] })
})

test.each([
  { cli: 'codex', expected: { args: ['end', '--model=-m'] } },
  { cli: 'claude-code', expected: { model: '-m' } },
  { cli: 'gemini-cli', expected: { model: '-m' } },
  { cli: 'opencode', expected: { opencode: { model: '-m' } } },
  { cli: 'aider', expected: { model: '-m' } },
])('$cli gets the model of the run, which is no flag', async ({ cli, expected }) => {
  const config = JSON.stringify({ model: 'a/b' })
  const env = { OPENCODE_CONFIG_CONTENT: config, AGENT_MODEL: '-m' }
  expect((await given(cli, env)).seen).toMatchObject(expected)
})

test('without a CLI, the program gets its input as before', async () => {
  const harness = createHarness()
  const ran = await harness.run({ run: { implementation }, argv: ['--', '/bin/cat'] })
  expect(ran.stdout).toBe('')
})
