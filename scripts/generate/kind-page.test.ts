import type { AnyKind } from '@agents/crd'
import { gitProvider } from '@agents/gittarget-api'
import { agentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { kindPage } from './kind-page.ts'

test('a message that guards several fields is told once, with the fields', () => {
  const guards = rulesOf(gitProvider).filter((line) => line.includes('one hour at most'))
  expect(guards).toEqual([
    '- `spec.push.commitWindow`, `spec.push.maxWindow`: must be one hour at most',
  ])
})

test('a rule stands with the field that its refusal names', () => {
  expect(rulesOf(agentRun)).toContain(
    '- `spec.cancel`: cancel cannot be taken back; create another run instead',
  )
})

function rulesOf(kind: AnyKind): string[] {
  const page = kindPage(kind, '')
  return page.slice(page.indexOf('## Rules'), page.indexOf('## Status')).split('\n')
}
