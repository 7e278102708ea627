import type { AgentProvider } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { promptNote, usesSystemPrompt } from './prompt-use.ts'

function provider(spec: object): AgentProvider {
  return { metadata: { name: 'p' }, spec: { binary: 'agent-runner', ...spec } } as AgentProvider
}

test.each([
  { because: 'a CLI that the runner gives it to', spec: { cli: { name: 'codex' } }, uses: true },
  {
    because: 'a CLI without the runner',
    spec: { cli: { name: 'codex' }, binary: 'codex' },
    uses: false,
  },
  {
    because: 'an argument that names the variable',
    spec: { argsTemplate: ['-c', 'cat "$AGENT_SYSTEM_PROMPT_PATH"'] },
    uses: true,
  },
  {
    because: 'nothing that shows it',
    spec: { argsTemplate: ['--', 'codex', 'exec'] },
    uses: false,
  },
  { because: 'declared', spec: { usesSystemPrompt: true }, uses: true },
  {
    because: 'declared not to',
    spec: { cli: { name: 'codex' }, usesSystemPrompt: false },
    uses: false,
  },
])('$because: $uses', ({ spec, uses }) => {
  expect(usesSystemPrompt(provider(spec))).toBe(uses)
  expect(promptNote(provider(spec)) === undefined).toBe(uses)
})
