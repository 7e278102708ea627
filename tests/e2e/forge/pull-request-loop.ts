import type { AgentRun } from '@agents/jangar-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GiteaBed, openGiteaBed } from '../../support/gitea/gitea-bed.ts'
import { runKind } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { type ForgePlatform, openForgePlatform } from './services/forge-platform.ts'

const namespace = 'pull-request-loop'
const repository = `owner/${namespace}`

let forge: GiteaBed
let gitea: GiteaBed['gitea']
let owner: string
let platform: ForgePlatform

function create(name: string, parameters: Readonly<Record<string, string>> = {}) {
  return platform.client.create(runKind, {
    metadata: { name, namespace },
    spec: {
      agentRef: { name: 'scripted' },
      implementation: { inline: { summary: 'Improve it', text: 'Improve it a lot.' } },
      runtime: { type: 'job' },
      parameters: {
        script: `echo ${name} > ${name}.txt`,
        ...{ repository, customer: 'sales' },
        ...parameters,
      },
    },
  } as never)
}

function get(name: string): Promise<AgentRun> {
  return platform.client.get(runKind, { namespace, name })
}

type State = NonNullable<
  NonNullable<NonNullable<AgentRun['status']>['vcs']>['pullRequest']
>['state']

async function untilState(name: string, state: State): Promise<AgentRun> {
  let last: AgentRun | undefined
  await until(
    async () => {
      last = await get(name)
      return last.status?.vcs?.pullRequest?.state === state
    },
    `${name} never got to ${state}`,
    { timeoutMs: 150_000, everyMs: 200 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(last?.status, undefined, 1)}`)
  })
  return last as AgentRun
}

interface Pull {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly user: { readonly login: string }
  readonly head: { readonly ref: string }
  readonly labels: readonly { readonly name: string }[]
  readonly requested_reviewers: readonly { readonly login: string }[] | null
}

async function pullsOf(head: string): Promise<Pull[]> {
  const at = `/repos/${repository}/pulls?state=all&limit=50`
  const all = await gitea.api<Pull[]>(owner, 'GET', at)
  return all.filter((one) => one.head.ref === head)
}

/** The pull requests of runs on the real Gitea, which is killed at those moments of its requests. */
export function testPullRequests(moments: readonly ('before' | 'after')[]): void {
  beforeAll(async () => {
    platform = await openForgePlatform(namespace)
    forge = await openGiteaBed(await platform.gitea(), { repository, bot: 'write' })
    gitea = forge.gitea
    owner = forge.owner
    await forge.addLabel('agents')
    const pullRequest = {
      titleTemplate: '{{ implementation.summary }} ({{ agentRun.name }})',
      bodyTemplate: 'For {{ parameters.customer }}.',
      labels: ['agents'],
      reviewers: ['reviewer'],
    }
    await forge.prepare(platform.client, {
      namespace,
      pullRequest,
      spec: { vcsRef: { name: 'hub' } },
    })
  })

  afterAll(async () => {
    await platform?.stop()
    forge?.close()
  })

  describe('the pull request of a run', () => {
    test('is opened by the platform, shows checks and reviews, and is followed until it is merged', async () => {
      await create('first')
      const run = await untilState('first', 'Open')
      const [pull, ...others] = await pullsOf('agents/first')
      expect(others).toEqual([])
      expect(pull).toMatchObject({
        ...{ title: 'Improve it (first)', user: { login: 'bot' }, labels: [{ name: 'agents' }] },
        requested_reviewers: [{ login: 'reviewer' }],
      })
      expect(pull?.body).toContain('For sales.')
      expect(pull?.body).toContain(`Run \`${namespace}/first\` of agent \`scripted\``)
      const { number = 0 } = pull ?? {}
      expect(run.status?.vcs?.pullRequest).toMatchObject({
        number,
        url: `${gitea.url}/${repository}/pulls/${number}`,
      })
      const { commit = '' } = run.status?.vcs ?? {}
      const status = { state: 'failure', context: 'unit', description: 'broken' }
      await gitea.api(owner, 'POST', `/repos/${repository}/statuses/${commit}`, status)
      const review = { event: 'APPROVED', body: 'Fine.' }
      await gitea.api(owner, 'POST', `/repos/${repository}/pulls/${number}/reviews`, review)
      await until(
        async () => {
          const { checks, reviewDecision } = (await get('first')).status?.vcs?.pullRequest ?? {}
          return checks === 'Failing' && reviewDecision === 'Approved'
        },
        'checks and reviews are not shown',
        { timeoutMs: 120_000, everyMs: 500 },
      )
      await forge.merge(number)
      const merged = await untilState('first', 'Merged')
      expect(merged.status?.phase).toBe('Succeeded')
      expect(merged.status?.conditions).toEqual(run.status?.conditions)
      expect(merged.status?.finishedAt).toBe(run.status?.finishedAt)
    })

    test('is the same one for a second run on the branch', async () => {
      await create('round-one', { head: 'topic' })
      await untilState('round-one', 'Open')
      await create('round-two', { head: 'topic', customer: 'support' })
      const second = await untilState('round-two', 'Open')
      const [pull, ...others] = await pullsOf('topic')
      expect(others).toEqual([])
      expect(second.status?.vcs?.pullRequest?.number).toBe(pull?.number)
      expect(pull?.body).toContain('For support.')
    })

    test('is closed when somebody closes it', async () => {
      await create('unwanted')
      const run = await untilState('unwanted', 'Open')
      const { number } = run.status?.vcs?.pullRequest ?? {}
      const close = { state: 'closed' }
      await gitea.api(owner, 'PATCH', `/repos/${repository}/pulls/${number}`, close)
      await untilState('unwanted', 'Closed')
    })

    test('does not exist for a run that pushes nothing, or fails', async () => {
      await create('idle', { script: 'true' })
      await create('fails', { script: 'echo x > x.txt; exit 3' })
      for (const name of ['idle', 'fails']) {
        await until(async () => (await get(name)).status?.finishedAt)
        expect((await get(name)).status?.vcs?.pullRequest).toBeUndefined()
        expect(await pullsOf(`agents/${name}`)).toEqual([])
      }
    })
  })

  describe('one pull request only, although', () => {
    const pulls = new RegExp(`^/api/v1/repos/${repository}/pulls(\\?.*)?$`)
    const cuts = [
      { method: 'GET', path: pulls, moment: 'before' },
      { method: 'GET', path: pulls, moment: 'after' },
      { method: 'POST', path: pulls, moment: 'before' },
      { method: 'POST', path: pulls, moment: 'after' },
      { method: 'POST', path: /\/labels$/, moment: 'before' },
      { method: 'POST', path: /\/labels$/, moment: 'after' },
      { method: 'POST', path: /\/requested_reviewers$/, moment: 'after' },
    ] as const
    const opened = cuts.filter((cut) => cut.method === 'POST' && cut.path === pulls)
    const chosen = (isFull ? cuts : opened).filter(({ moment }) => moments.includes(moment))
    const named = chosen.map((cut, at) => ({ ...cut, name: `cut-${at}`, words: String(cut.path) }))

    test.each(named)('Gitea is killed $moment $method $words', async ({ name, ...cut }) => {
      const isCut = forge.proxy.cutOnce({ ...cut, act: () => gitea.kill() })
      await create(name)
      await isCut
      await gitea.start()
      const run = await untilState(name, 'Open')
      const found = await pullsOf(`agents/${name}`)
      expect(found.map(({ number }) => number)).toEqual([run.status?.vcs?.pullRequest?.number])
      expect(found[0]?.labels).toMatchObject([{ name: 'agents' }])
    })

    if (isFull) {
      test('the controllers are killed after it was opened, and it is merged meanwhile', async () => {
        const isCut = forge.proxy.cutOnce({
          ...{ method: 'POST', path: pulls, moment: 'after' },
          act: () => platform.calls.killControllers(),
        })
        await create('orphan')
        await isCut
        const [opened] = await pullsOf('agents/orphan')
        await forge.merge(opened?.number ?? 0)
        await platform.calls.startControllers()
        const run = await untilState('orphan', 'Merged')
        const found = await pullsOf('agents/orphan')
        expect(found.map(({ number }) => number)).toEqual([run.status?.vcs?.pullRequest?.number])
      })
    }
  })
}
