import { join } from 'node:path'
import { env } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentRun } from '@agents/jangar-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GiteaBed, repository, startGiteaBed } from '../../support/gitea/gitea-bed.ts'
import {
  namespace,
  type RunPlatform,
  runKind,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { writePrograms } from '../security/run-programs.ts'

const api = `/repos/${repository}`
let forge: GiteaBed
let platform: RunPlatform

beforeAll(async () => {
  forge = await startGiteaBed(env, 'write')
  platform = await startRunPlatform('embedded')
  await forge.prepare(platform.client, {
    ...{ pullRequest: { autoMerge: true }, spec: { vcsRef: { name: 'hub' } } },
  })
  await platform.startNode([], await writePrograms(join(forge.folder, 'bin')))
  await platform.startControllers(unlimited)
})

afterAll(async () => {
  await platform?.stop()
  await forge?.stop()
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

/** Long enough for Gitea to merge what it merges by itself. */
const settleMs = 3000

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
  await sleep(settleMs)
  expect(await isMerged(number)).toBe(false)
  const close = { state: 'closed' }
  await forge.gitea.api(forge.owner, 'PATCH', `${api}/pulls/${number}`, close)
})

test('what is required is waited for, and then it is merged', async () => {
  const rule = { rule_name: 'main', enable_status_check: true, status_check_contexts: ['ci/unit'] }
  await forge.gitea.api(forge.owner, 'POST', `${api}/branch_protections`, rule)
  await create('gated')
  const { commit, number } = await untilPull('gated', (one) => one.autoMerge?.state === 'Enabled')
  await succeed(commit, 'ci/other')
  await sleep(settleMs)
  expect(await isMerged(number)).toBe(false)
  await succeed(commit, 'ci/unit')
  await until(() => isMerged(number), 'Gitea does not merge it', { timeoutMs: 60_000 })
  const merged = await untilPull('gated', (one) => one.state === 'Merged')
  expect(merged.autoMerge).toEqual({ state: 'Enabled' })
})

test('what somebody turned off stays off', async () => {
  await create('stopped')
  const { commit, number } = await untilPull('stopped', (one) => one.autoMerge?.state === 'Enabled')
  await forge.gitea.api(forge.owner, 'DELETE', `${api}/pulls/${number}/merge`)
  await untilPull('stopped', (one) => one.autoMerge?.state === 'Disabled')
  await succeed(commit, 'ci/unit')
  await sleep(settleMs)
  expect(await isMerged(number)).toBe(false)
})
