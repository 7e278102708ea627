import { agentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { kindPage } from './kind-page.ts'

const page = kindPage(agentRun, '')
const rules = page.slice(page.indexOf('## Rules'), page.indexOf('## Status')).split('\n')

test('a message that guards many fields is told once, with the fields', () => {
  const guards = rules.filter((line) => line.includes('a run is not changed'))
  expect(guards).toHaveLength(1)
  expect(guards[0]).toMatch(/^- `spec\.agentRef`, .*`spec\.priority`.*: a run is not changed/)
})

test('a rule stands with the field that its refusal names', () => {
  expect(rules).toContain(
    '- `spec.cancel`: cancel cannot be taken back; create another run instead',
  )
})
