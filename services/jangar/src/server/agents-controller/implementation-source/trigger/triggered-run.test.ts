import { type ImplementationSource, triggerMetadata } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import type { TriggerEvent } from './trigger-event.ts'
import { triggeredRun } from './triggered-run.ts'

const { labels, annotations } = triggerMetadata

test('the run of a push is about no issue, whatever its template claims', () => {
  const source = {
    metadata: { namespace: 'agents', name: 'pushes' },
    spec: { provider: 'gitea', scope: { repository: 'owner/app' } },
  } as unknown as ImplementationSource
  const metadata = {
    labels: { [labels.spec]: 'issue-of-others', [labels.source]: 'other', team: 'shop' },
    annotations: { [annotations.actorId]: '1', [annotations.round]: '-9', note: 'kept' },
  }
  const event = {
    trigger: { name: 'main', event: 'Push', template: { metadata, spec: {} } },
    ...{ repository: 'owner/app', externalId: '', number: 0, text: '', key: 'k' },
    ...{ actor: 'ann', push: { branch: 'main', commit: 'a'.repeat(40) } },
  } as unknown as TriggerEvent
  const run = triggeredRun({ source, work: undefined, event })
  expect(run.metadata.labels).toEqual({
    ...{ team: 'shop', [labels.source]: 'pushes' },
    [labels.branch]: expect.stringMatching(/^[0-9a-f]{40}$/),
  })
  expect(run.metadata.annotations).toEqual({
    note: 'kept',
    [annotations.trigger]: 'main',
    [annotations.actor]: 'gitea:ann',
    [annotations.event]: 'k',
  })
})
