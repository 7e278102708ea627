import type { AgentRun } from '@agents/jangar-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GiteaBed, openGiteaBed } from '../../support/gitea/gitea-bed.ts'
import { runKind } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { type SourceBed, secret, specKind, startSourceBed } from './source-bed.ts'

const namespace = 'whole-loop'
const repository = `owner/${namespace}`
const api = `/repos/${repository}`
const patience = { timeoutMs: 150_000, everyMs: 200 }

let forge: GiteaBed
let gitea: GiteaBed['gitea']
let bed: SourceBed
let owner: string
let label: number

async function prepare(): Promise<void> {
  const pullRequest = { titleTemplate: '{{ implementation.summary }}' }
  await forge.prepare(bed.client, { namespace, pullRequest })
  const parameters = { script: 'echo "{{ implementation.text }}" >> "work.txt"' }
  // A run that cannot fetch its repository is tried again.
  const retrying = { retries: 5, retryBackoffSeconds: 2 }
  const template = {
    spec: { agentRef: { name: 'scripted' }, runtime: { type: 'job' }, parameters, ...retrying },
  }
  await bed.source('issues', {
    ...{ provider: 'gitea', webhook: { enabled: true }, vcsRef: { name: 'hub' } },
    scope: { repository },
    report: { comment: true, commitStatus: true },
    triggers: [
      { name: 'label', event: 'Labelled', label: 'agent', template },
      { name: 'review', event: 'ChangesRequested', concurrency: 'Queue', template },
    ],
  })
}

async function addIssue(title: string): Promise<number> {
  const body = { title, body: `${title}, please.` }
  const { number } = await gitea.api<{ number: number }>(owner, 'POST', `${api}/issues`, body)
  return number
}

function addLabel(number: number): Promise<unknown> {
  return gitea.api(owner, 'POST', `${api}/issues/${number}/labels`, { labels: [label] })
}

/** Oldest first. */
async function runsOf(issue: number): Promise<readonly AgentRun[]> {
  const { items } = await bed.client.list(runKind, { namespace })
  const id = `${repository}#${issue}`
  return items
    .filter(({ spec }) => spec.implementation?.inline.source?.externalId === id)
    .toSorted(({ metadata: a }, { metadata: b }) =>
      (a.creationTimestamp ?? '') < (b.creationTimestamp ?? '') ? -1 : 1,
    )
}

async function runBecomes(
  issue: number,
  at: number,
  isSo: (run: AgentRun) => unknown,
): Promise<AgentRun> {
  let last: AgentRun | undefined
  await until(
    async () => {
      last = (await runsOf(issue))[at]
      return last !== undefined && Boolean(isSo(last))
    },
    `run ${at} of #${issue} never got there`,
    patience,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(last?.status, undefined, 1)}`)
  })
  return last as AgentRun
}

function stateIs(state: string) {
  return ({ status }: AgentRun) => status?.vcs?.pullRequest?.state === state
}

interface Comment {
  readonly id: number
  readonly body: string
  readonly user: { readonly login: string }
}

async function reportsOn(issue: number): Promise<readonly Comment[]> {
  const all = await gitea.api<readonly Comment[]>(owner, 'GET', `${api}/issues/${issue}/comments`)
  return all.filter(({ body }) => body.includes('<!-- agents:report'))
}

async function reportSays(issue: number, expected: RegExp): Promise<Comment> {
  let last: readonly Comment[] = []
  await until(
    async () => {
      last = await reportsOn(issue)
      return last.some(({ body }) => expected.test(body))
    },
    `the comment on #${issue} never said ${expected}`,
    patience,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(last)}`)
  })
  expect(last).toHaveLength(1)
  return last[0] as Comment
}

interface Pull {
  readonly number: number
  readonly title: string
  readonly head: { readonly ref: string; readonly sha: string }
}

async function pullsFor(title: string): Promise<readonly Pull[]> {
  const all = await gitea.api<readonly Pull[]>(owner, 'GET', `${api}/pulls?state=all&limit=50`)
  return all.filter((one) => one.title === title)
}

async function statusOf(commit: string): Promise<string> {
  const at = `${api}/commits/${commit}/status`
  const { state } = await gitea.api<{ state: string }>(owner, 'GET', at)
  return state
}

/** From an issue to a merged pull request on the real Gitea, which is killed at those moments of its requests. */
export function testWholeLoop(moments: readonly ('before' | 'after')[]): void {
  beforeAll(async () => {
    // The permission that docs/gitea.md names.
    bed = await startSourceBed(namespace)
    forge = await openGiteaBed(await bed.gitea(), { repository, bot: 'admin' })
    gitea = forge.gitea
    owner = forge.owner
    label = await forge.addLabel('agent')
    await prepare()
    await gitea.api(owner, 'POST', `${api}/hooks`, {
      ...{ type: 'gitea', active: true },
      events: [
        ...['issues', 'issue_label', 'issues_only', 'issue_comment'],
        ...['pull_request_comment', 'pull_request_review'],
      ],
      config: { url: bed.hookUrl('gitea', 'issues'), content_type: 'json', secret },
    })
  })

  afterAll(async () => {
    await bed?.stop()
    forge?.close()
  })

  describe('from a label to a merge', () => {
    test('with a review that requests changes in between', async () => {
      const issue = await addIssue('Say hello')
      await addLabel(issue)
      const first = await runBecomes(issue, 0, stateIs('Open'))
      const { number = 0 } = first.status?.vcs?.pullRequest ?? {}
      const [pull, ...others] = await pullsFor('Say hello')
      expect(others).toEqual([])
      expect(pull?.number).toBe(number)
      const comment = await reportSays(issue, new RegExp(`succeeded \\| #${number} open`))
      expect(comment.user.login).toBe('bot')
      const { commit = '' } = first.status?.vcs ?? {}
      await until(async () => (await statusOf(commit)) === 'success', 'no commit status', patience)

      const review = { event: 'REQUEST_CHANGES', body: 'Say it twice.' }
      await gitea.api(forge.reviewer, 'POST', `${api}/pulls/${number}/reviews`, review)
      const second = await runBecomes(issue, 1, stateIs('Open'))
      expect(second.spec.implementation?.inline.text).toContain('Say it twice.')
      expect(second.status?.vcs).toMatchObject({
        headBranch: first.status?.vcs?.headBranch,
        pullRequest: { number },
      })
      expect(second.status?.vcs?.commit).not.toBe(commit)
      const [after, ...more] = await pullsFor('Say hello')
      expect(more).toEqual([])
      expect(after?.head.sha).toBe(second.status?.vcs?.commit)
      const edited = await reportSays(issue, /succeeded[\s\S]*succeeded/)
      expect(edited.id).toBe(comment.id)
      await until(
        async () => (await statusOf(after?.head.sha ?? '')) === 'success',
        'no status of the second commit',
        patience,
      )

      await forge.merge(number)
      await runBecomes(issue, 0, stateIs('Merged'))
      await runBecomes(issue, 1, stateIs('Merged'))
      const last = await reportSays(
        issue,
        new RegExp(`#${number} merged[\\s\\S]*#${number} merged`),
      )
      expect(last.id).toBe(comment.id)
      expect(await runsOf(issue)).toHaveLength(2)
    })

    test('and somebody deletes the comment', async () => {
      const issue = await addIssue('Be quiet')
      await addLabel(issue)
      await runBecomes(issue, 0, stateIs('Open'))
      const { id } = await reportSays(issue, /succeeded \| #\d+ open/)
      await gitea.api(owner, 'DELETE', `${api}/issues/comments/${id}`)
      const [pull] = await pullsFor('Be quiet')
      await forge.merge(pull?.number ?? 0)
      await runBecomes(issue, 0, stateIs('Merged'))
      const isRemoved = async () => {
        const { items } = await bed.client.list(specKind, { namespace })
        const id = `${repository}#${issue}`
        return items.find(({ spec }) => spec.source?.externalId === id)?.status?.report?.isRemoved
      }
      await until(isRemoved, 'the deletion is not noticed', patience)
      expect(await reportsOn(issue)).toEqual([])
    })
  })

  // The gate kills it in the loop of pull requests.
  if (isFull) {
    describe('one run, one pull request and one comment, although Gitea is killed', () => {
      const permission = /\/collaborators\/owner\/permission$/
      const pulls = new RegExp(`^/api/v1${api}/pulls$`)
      const comments = /\/issues\/\d+\/comments$/
      const edits = /\/issues\/comments\/\d+$/
      const statuses = /\/statuses\/[0-9a-f]+$/
      const cuts = [
        { method: 'GET', path: permission, moment: 'before' },
        { method: 'GET', path: permission, moment: 'after' },
        { method: 'POST', path: comments, moment: 'before' },
        { method: 'POST', path: comments, moment: 'after' },
        { method: 'PATCH', path: edits, moment: 'before' },
        { method: 'PATCH', path: edits, moment: 'after' },
        { method: 'POST', path: pulls, moment: 'before' },
        { method: 'POST', path: pulls, moment: 'after' },
        { method: 'POST', path: statuses, moment: 'before' },
        { method: 'POST', path: statuses, moment: 'after' },
      ] as const
      const chosen = cuts.filter(({ moment }) => moments.includes(moment))
      const named = chosen.map((cut, at) => ({
        ...cut,
        title: `Cut ${at}`,
        words: String(cut.path),
      }))

      test.each(named)('$moment $method $words', async ({ title, ...cut }) => {
        const issue = await addIssue(title)
        const isCut = forge.proxy.cutOnce({ ...cut, act: () => gitea.kill() })
        await addLabel(issue)
        await isCut
        await gitea.start()
        const run = await runBecomes(issue, 0, stateIs('Open'))
        const { number } = run.status?.vcs?.pullRequest ?? {}
        await reportSays(issue, new RegExp(`succeeded \\| #${number} open`))
        const { commit = '' } = run.status?.vcs ?? {}
        await until(
          async () => (await statusOf(commit)) === 'success',
          'no commit status',
          patience,
        )
        expect((await pullsFor(title)).map((one) => one.number)).toEqual([number])
        expect(await runsOf(issue)).toHaveLength(1)
      })
    })
  }
}
