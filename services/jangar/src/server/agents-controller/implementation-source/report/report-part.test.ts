import type { ImplementationSource, ImplementationSpec } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { importedSpec } from '../import/imported-spec.ts'
import { numberOf } from './report-part.ts'

const source = {
  metadata: { namespace: 'agents', name: 'issues', uid: 'u' },
  spec: { provider: 'gitea', scope: { repository: 'Owner/App' } },
} as unknown as ImplementationSource
const imported = importedSpec(
  source,
  {
    ...{ externalId: 'Owner/App#7', repository: 'Owner/App', title: 'Fix it', body: '' },
    ...{ labels: [], url: 'https://git.example/7', state: 'open', version: '1' },
  },
  'Open',
) as ImplementationSpec

test.each([
  { externalId: 'Owner/App#7', number: 7 },
  { externalId: 'owner/app#7', number: 7 },
  { externalId: 'Owner/App#8', number: undefined },
  { externalId: 'Owner/App#7#8', number: undefined },
  { externalId: 'other/app#7', number: undefined },
  { externalId: undefined, number: undefined },
])('a spec that was edited leads to no other issue: $externalId', ({ externalId, number }) => {
  const origin = { provider: 'gitea', ...(externalId !== undefined && { externalId }) }
  const edited = { ...imported, spec: { ...imported.spec, source: origin } } as ImplementationSpec
  expect(numberOf(source, edited)).toBe(number)
})
