import type { AgentRun } from '@agents/jangar-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Gitea } from '../../support/gitea/gitea-server.ts'
import { runKind } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { type SourceBed, secret, startSourceBed } from './source-bed.ts'

const namespace = 'closed-issues'
const repository = `owner/${namespace}`
const api = `/repos/${repository}`
const patience = { timeoutMs: 60_000, everyMs: 100 }
const specLabel = 'agents.proompteng.ai/implementation-spec'
const sourceLabel = 'agents.proompteng.ai/implementation-source'

let gitea: Gitea
let bed: SourceBed
let owner: string
let label: number

beforeAll(async () => {
  bed = await startSourceBed(namespace)
  gitea = await bed.gitea()
  owner = await gitea.user('owner', { admin: true })
  await gitea.api(owner, 'POST', '/user/repos', { name: namespace, auto_init: true })
  const made = { name: 'agent', color: '#00aabb' }
  label = (await gitea.api<{ id: number }>(owner, 'POST', `${api}/labels`, made)).id
  await bed.giteaProvider('hub', gitea.url, owner)
  const template = { spec: { agentRef: { name: 'coder' }, runtime: { type: 'job' } } }
  for (const [name, onClosed] of [
    ['cancels', 'Cancel'],
    ['keeps', undefined],
  ] as const) {
    await bed.source(name, {
      ...{ provider: 'gitea', webhook: { enabled: true }, vcsRef: { name: 'hub' } },
      scope: { repository },
      triggers: [{ name: 'label', event: 'Labelled', label: 'agent', template }],
      ...(onClosed && { onClosed }),
    })
    await gitea.api(owner, 'POST', `${api}/hooks`, {
      ...{ type: 'gitea', active: true, events: ['issues', 'issue_label', 'issues_only'] },
      config: { url: bed.hookUrl('gitea', name), content_type: 'json', secret },
    })
  }
})

afterAll(() => bed?.stop())

/** An issue with a run of each source. */
async function issueWithRuns(): Promise<{
  readonly number: number
  cancels: AgentRun
  keeps: AgentRun
}> {
  const body = { title: 'Fix it', body: 'It is broken.', labels: [label] }
  const { number } = await gitea.api<{ number: number }>(owner, 'POST', `${api}/issues`, body)
  const found = new Map<string, AgentRun>()
  await until(
    async () => {
      for (const run of (await bed.client.list(runKind, { namespace })).items) {
        const { externalId } = run.spec.implementation?.inline.source ?? {}
        if (!externalId?.endsWith(`#${number}`)) continue
        found.set(run.metadata.labels?.[sourceLabel] ?? '', run)
      }
      return found.size === 2
    },
    'no runs',
    patience,
  )
  return {
    number,
    cancels: found.get('cancels') as AgentRun,
    keeps: found.get('keeps') as AgentRun,
  }
}

async function isCancelled({ metadata }: AgentRun): Promise<boolean> {
  return (await bed.client.get(runKind, metadata)).spec.cancel === true
}

function close(number: number): Promise<unknown> {
  return gitea.api(owner, 'PATCH', `${api}/issues/${number}`, { state: 'closed' })
}

async function untilClosed(source: string, number: number): Promise<void> {
  const isClosed = async () =>
    (await bed.specs(source))[`${repository}#${number}`]?.source?.state === 'Closed'
  await until(isClosed, 'not closed', patience)
}

describe('the runs of an issue', () => {
  test.each([
    {
      what: 'that is closed',
      end: close,
    },
    {
      what: 'that is deleted, which only a list shows',
      end: async (number: number) => {
        await gitea.api(owner, 'DELETE', `${api}/issues/${number}`)
        for (const name of ['cancels', 'keeps']) await bed.sync(name)
      },
    },
  ])('$what are cancelled if the source says so', async ({ end }) => {
    const { number, cancels, keeps } = await issueWithRuns()
    const other = await issueWithRuns()
    await end(number)
    await until(() => isCancelled(cancels), 'not cancelled', patience)
    await untilClosed('keeps', number)
    for (const run of [keeps, other.cancels]) expect(await isCancelled(run)).toBe(false)
  })

  test('that was closed while no controllers were there are cancelled, also one that appears later', async () => {
    const { number, cancels } = await issueWithRuns()
    const name = cancels.metadata.labels?.[specLabel] ?? ''
    await bed.restartControllers(() => close(number))
    await until(() => isCancelled(cancels), 'not cancelled', patience)
    const { labels, annotations } = cancels.metadata
    const later = await bed.client.create(runKind, {
      metadata: { namespace, name: `later-${number}`, labels, annotations },
      spec: { ...cancels.spec, cancel: undefined },
    } as never)
    const ofPeople = await bed.client.create(runKind, {
      metadata: { namespace, name: `of-people-${number}`, labels: { [specLabel]: name } },
      spec: { ...cancels.spec, cancel: undefined },
    } as never)
    await until(() => isCancelled(later), 'not cancelled', patience)
    expect(await isCancelled(ofPeople)).toBe(false)
  })
})
