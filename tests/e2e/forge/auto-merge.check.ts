import type { AgentRun } from '@agents/jangar-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GiteaBed, openGiteaBed } from '../../support/gitea/gitea-bed.ts'
import { runKind } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { type ForgePlatform, openForgePlatform } from './services/forge-platform.ts'

const namespace = 'auto-merge'
const repository = `owner/${namespace}`
const api = `/repos/${repository}`
let forge: GiteaBed
let platform: ForgePlatform

beforeAll(async () => {
  platform = await openForgePlatform(namespace)
  forge = await openGiteaBed(await platform.gitea(), { repository, bot: 'write' })
  await forge.prepare(platform.client, {
    ...{ namespace, pullRequest: { autoMerge: true }, spec: { vcsRef: { name: 'hub' } } },
  })
})

afterAll(async () => {
  await platform?.stop()
  forge?.close()
})

function create(name: string) {
  return platform.client.create(runKind, {
    metadata: { name, namespace },
    spec: {
      agentRef: { name: 'scripted' },
      implementation: { inline: { summary: 'Improve it', text: 'Improve it a lot.' } },
      runtime: { type: 'job' },
      parameters: { script: `echo ${name} > ${name}.txt`, repository },
    },
  } as never)
}

type Vcs = NonNullable<NonNullable<AgentRun['status']>['vcs']>
type PullRequestStatus = NonNullable<Vcs['pullRequest']>

async function untilPull(name: string, is: (status: PullRequestStatus) => boolean) {
  let last: AgentRun | undefined
  await until(
    async () => {
      last = await platform.client.get(runKind, { namespace, name })
      return is(last.status?.vcs?.pullRequest ?? {})
    },
    `${name} never got there`,
    { timeoutMs: 90_000, everyMs: 300 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(last?.status?.vcs, undefined, 1)}`)
  })
  const { commit = '', pullRequest = {} } = last?.status?.vcs ?? {}
  return { commit, ...pullRequest }
}

function succeed(commit: string, context: string) {
  const status = { state: 'success', context, description: 'fine' }
  return forge.gitea.api(forge.owner, 'POST', `${api}/statuses/${commit}`, status)
}

async function isMerged(number: number | undefined): Promise<boolean> {
  const at = `${api}/pulls/${number}`
  return (await forge.gitea.api<{ merged: boolean }>(forge.owner, 'GET', at)).merged
}

/** Gitea merges in the order of the statuses: what is not merged by then never was. */
async function mergesBy(commit: string, number: number | undefined): Promise<void> {
  await succeed(commit, 'ci/unit')
  await until(() => isMerged(number), 'Gitea does not merge it', { timeoutMs: 60_000 })
}

function isEnabled({ autoMerge }: PullRequestStatus): boolean {
  return autoMerge?.state === 'Enabled'
}

test('where nothing is required, nothing is merged', async () => {
  await create('open')
  const { commit, number, autoMerge } = await untilPull(
    'open',
    (one) => one.autoMerge !== undefined,
  )
  expect(autoMerge).toMatchObject({
    ...{ state: 'NotAllowed', message: expect.stringContaining('requires neither') },
  })
  await succeed(commit, 'ci/unit')
  const cancel = forge.gitea.api(forge.owner, 'DELETE', `${api}/pulls/${number}/merge`)
  await expect(cancel, 'Gitea was told to merge it').rejects.toThrow('HTTP 404')
  expect(await isMerged(number)).toBe(false)
  const close = { state: 'closed' }
  await forge.gitea.api(forge.owner, 'PATCH', `${api}/pulls/${number}`, close)
})

test('what is required is waited for, and what somebody turned off stays off', async () => {
  const rule = { rule_name: 'main', enable_status_check: true, status_check_contexts: ['ci/unit'] }
  await forge.gitea.api(forge.owner, 'POST', `${api}/branch_protections`, rule)
  for (const name of ['waits', 'stopped', 'gated']) await create(name)
  const waits = await untilPull('waits', isEnabled)
  await succeed(waits.commit, 'ci/other')

  const stopped = await untilPull('stopped', isEnabled)
  await forge.gitea.api(forge.owner, 'DELETE', `${api}/pulls/${stopped.number}/merge`)
  await untilPull('stopped', (one) => one.autoMerge?.state === 'Disabled')
  await succeed(stopped.commit, 'ci/unit')

  const gated = await untilPull('gated', isEnabled)
  await mergesBy(gated.commit, gated.number)
  const merged = await untilPull('gated', (one) => one.state === 'Merged')
  expect(merged.autoMerge).toEqual({ state: 'Enabled' })
  for (const { number } of [waits, stopped]) expect(await isMerged(number)).toBe(false)
  await mergesBy(waits.commit, waits.number)
  expect(await isMerged(stopped.number)).toBe(false)
})
