import type { AnyKind } from '@agents/crd'
import { gitProvider } from '@agents/gittarget-api'
import { agentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { kindPage } from './kind-page.ts'

test('a message of several fields is listed once, with all fields', () => {
  const guards = rulesOf(gitProvider).filter((line) => line.includes('at most one hour'))
  expect(guards).toEqual([
    '- `spec.push.commitWindow`, `spec.push.maxWindow`: must be at most one hour',
  ])
})

test('a rule is listed with the field of its fieldPath', () => {
  expect(rulesOf(agentRun)).toContain(
    '- `spec.cancel`: cancel cannot be reverted; create another run instead',
  )
})

test('a kind without a controller says so', () => {
  const sentence = 'No controller of this release reconciles this kind'
  expect(kindPage(agentRun, '')).not.toContain(sentence)
  expect(kindPage(agentRun, '', { isReconciled: false })).toContain(sentence)
})

function rulesOf(kind: AnyKind): string[] {
  const page = kindPage(kind, '')
  return page.slice(page.indexOf('## Rules'), page.indexOf('## Status')).split('\n')
}
