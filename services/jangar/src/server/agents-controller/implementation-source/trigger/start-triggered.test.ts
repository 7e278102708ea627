import { setTimeout as wait } from 'node:timers/promises'
import {
  type AgentRun,
  agentRun,
  type ImplementationSource,
  implementationSpec,
  orchestrationRun,
} from '@agents/jangar-api'
import { type KindRef, kindRef } from '@agents/kube'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SourceIssue } from '../../../inbox/delivery/source-issue.ts'
import { importedSpec } from '../import/imported-spec.ts'
import { startTriggered, type TriggerPorts } from './start-triggered.ts'
import type { TriggerEvent } from './trigger-event.ts'
import { Turns } from './turns.ts'

const repository = 'owner/app'
const [commit, newer] = ['a'.repeat(40), 'b'.repeat(40)]
const domain = 'agents.proompteng.ai'

const source = {
  metadata: { namespace: 'agents', name: 'issues', uid: 'u' },
  spec: { provider: 'gitea', scope: { repository }, vcsRef: { name: 'forge' } },
} as unknown as ImplementationSource

const issue: SourceIssue = {
  ...{ externalId: `${repository}#1`, repository, title: 'Fix it', body: 'It is broken.' },
  ...{ labels: [], url: 'https://git.example/1', state: 'open', version: '1' },
}
const spec = importedSpec(source, issue, 'Open')

/** A run that has opened pull request 9 for the issue. */
const finished = {
  metadata: {
    ...{ namespace: 'agents', name: 'first', creationTimestamp: '2026-11-17T08:00:00Z' },
    labels: {
      [`${domain}/implementation-source`]: 'issues',
      [`${domain}/implementation-spec`]: spec.metadata.name,
    },
    annotations: { [`${domain}/triggered-by`]: 'gitea:maintainer' },
  },
  status: {
    conditions: [{ type: 'Finished', status: 'True' }],
    vcs: {
      ...{ provider: 'forge', repository, headBranch: 'agents/1', baseBranch: 'main', commit },
      ...{ pushed: true, pullRequest: { number: 9, state: 'Open' } },
    },
  },
} as unknown as AgentRun

let runs: AgentRun[]
let head: { state: string; commit: string }

beforeEach(() => {
  runs = [finished]
  head = { state: 'open', commit }
})

/** An API server and a forge as far as triggers need them. Requests take a moment, so that others come between. */
function ports(): TriggerPorts {
  const isAgentRun = ({ kind }: KindRef) => kind === 'AgentRun'
  const forge = {
    permission: async (_of: string, { name }: { name: string }) =>
      name === 'maintainer' ? 'write' : 'read',
    pullRequest: async () => head,
  }
  const kindOf = (kind: KindRef, list: () => unknown[]) => ({ kind, list })
  const turns = new Turns()
  return {
    client: {
      get: async () => ({ ...spec }),
      list: async (kind: KindRef, { labelSelector = '' }) => {
        await wait(5)
        const [name = '', value] = labelSelector.split('=')
        const found = runs.filter(({ metadata }) => metadata.labels?.[name] === value)
        return { items: isAgentRun(kind) ? found : [] }
      },
      create: async (_kind: KindRef, run: AgentRun) => {
        await wait(5)
        runs.push(run)
      },
    },
    caches: {
      agentRuns: kindOf(kindRef(agentRun), () => runs),
      orchestrationRuns: kindOf(kindRef(orchestrationRun), () => []),
      implementationSpecs: kindOf(kindRef(implementationSpec), () => [spec]),
    },
    ...{ openForge: async () => forge, openProposals: async () => forge, turns },
  } as unknown as TriggerPorts
}

function trigger(change: object = {}) {
  const template = { spec: { agentRef: { name: 'coder' }, runtime: { type: 'job' } } }
  const usual = { concurrency: 'Skip', maxRunsPerHour: 20, maxRounds: 5 }
  return { name: 'one', event: 'Command', ...usual, template, ...change }
}

function event(of: object, change: object = {}): TriggerEvent {
  return {
    ...{ trigger: trigger(of), repository, externalId: `${repository}#1`, number: 1, text: '' },
    ...{ isPullRequest: false, actor: 'maintainer', actorId: undefined, key: 'k', ...change },
  } as unknown as TriggerEvent
}

const review = event(
  { name: 'review', event: 'ChangesRequested' },
  { number: 9, isPullRequest: true, text: 'Shorter', key: 'review' },
)
const check = event(
  { name: 'ci', event: 'CheckFailed' },
  {
    ...{ number: 0, isPullRequest: true, actor: '', key: 'check' },
    check: { repository, commit, name: 'ci', text: '', branches: [] },
  },
)

const options = { now: new Date(), signal: new AbortController().signal }

function newRuns(): number {
  return runs.length - 1
}

describe('an event that comes while a run is active', () => {
  const active = { ...finished, status: {} } as AgentRun

  test('waits if it is queued, and its actor may start runs', async () => {
    runs.push(active)
    const asked = event({ concurrency: 'Queue' })
    expect(await startTriggered(ports(), source, asked, options)).toMatchObject({ kind: 'later' })
  })

  test('of somebody who may not is refused at once, so that it holds up nobody', async () => {
    runs.push(active)
    const asked = event({ concurrency: 'Queue' }, { actor: 'stranger' })
    expect(await startTriggered(ports(), source, asked, options)).toMatchObject({
      ...{ kind: 'refused', isDenied: true, why: expect.stringContaining('permission read') },
    })
  })
})

test('a review and a failed check at the same time start one run', async () => {
  const shared = ports()
  const started = await Promise.all(
    [review, check].map((one) => startTriggered(shared, source, one, options)),
  )
  expect(started.map(({ kind }) => kind)).toEqual(['started', 'refused'])
  expect(newRuns()).toBe(1)
})

describe('a check that fails', () => {
  test('starts a run while the pull request has no newer commit', async () => {
    expect(await startTriggered(ports(), source, check, options)).toMatchObject({ kind: 'started' })
    expect(newRuns()).toBe(1)
  })

  test.each([
    { because: 'somebody has pushed on top', now: { state: 'open', commit: newer } },
    { because: 'it was merged meanwhile', now: { state: 'merged', commit } },
  ])('starts nothing if $because', async ({ now }) => {
    head = now
    expect(await startTriggered(ports(), source, check, options)).toEqual({
      ...{ kind: 'refused', why: 'the pull request has a newer commit, or is closed' },
    })
    expect(newRuns()).toBe(0)
  })
})
