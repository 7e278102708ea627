import { type Forge, ForgeError, type PullRequest } from '@agents/forge'
import { describe, expect, test } from 'vitest'
import { ensureOpen, type Proposal } from './ensure-open.ts'
import { runsIn } from './own-section.ts'

const signal = new AbortController().signal
const proposal: Proposal = {
  ...{ repository: 'o/r', head: 'agents/r', base: undefined, title: 'T', body: 'B', draft: false },
  ...{ uid: '11111111-1111-4111-8111-111111111111', labels: ['x'], reviewers: ['stranger'] },
}

type NewPullRequest = Parameters<Forge['openPullRequest']>[0]
type Method = 'repository' | 'pullRequestsFrom' | 'openPullRequest' | 'addLabels' | 'requestReviews'

/**
 * A service that keeps pull requests. `fails` is called before and after each request takes effect: the response of a
 * request that was carried out may be lost.
 */
function service(fails: (method: Method, moment: 'before' | 'after') => boolean = () => false) {
  const pulls: PullRequest[] = []
  const acted = async <T>(method: Method, act: () => T): Promise<T> => {
    const lost = () => new ForgeError('unreachable', 'lost')
    if (fails(method, 'before')) throw lost()
    const result = act()
    if (fails(method, 'after')) throw lost()
    return result
  }
  const create = ({ head, base, title, body, draft }: NewPullRequest): PullRequest => {
    if (pulls.some((one) => one.state === 'open' && one.head === head && one.base === base)) {
      throw new ForgeError('conflict', 'exists')
    }
    const number = pulls.length + 1
    const made = { number, url: `https://h/${number}`, commit: 'c', head, base, title, body, draft }
    pulls.push({ ...made, state: 'open' })
    return { ...made, state: 'open' }
  }
  const forge = {
    repository: () => acted('repository', () => ({ defaultBranch: 'main' })),
    pullRequestsFrom: ({ head }: { head: string }) =>
      acted('pullRequestsFrom', () => pulls.filter((one) => one.head === head)),
    openPullRequest: (wanted: NewPullRequest) => acted('openPullRequest', () => create(wanted)),
    editPullRequest: async (_: string, number: number, change: object) => {
      pulls[number - 1] = { ...(pulls[number - 1] as PullRequest), ...change }
      return pulls[number - 1] as PullRequest
    },
    addLabels: () => acted('addLabels', () => undefined),
    requestReviews: () => acted('requestReviews', () => undefined),
  } as unknown as Forge
  return { forge, pulls }
}

const methods: readonly Method[] = [
  ...([
    'repository',
    'pullRequestsFrom',
    'openPullRequest',
    'addLabels',
    'requestReviews',
  ] as const),
]

describe('one pull request', () => {
  const moments = methods.flatMap((method) =>
    (['before', 'after'] as const).map((moment) => ({ method, moment })),
  )
  test.each(moments)('although the service fails $moment $method', async (at) => {
    let left = 1
    const { forge, pulls } = service((method, moment) => {
      return method === at.method && moment === at.moment && left-- > 0
    })
    await expect(ensureOpen(forge, proposal, signal)).rejects.toThrow('lost')
    const { pull } = await ensureOpen(forge, proposal, signal)
    expect(pulls).toHaveLength(1)
    expect(pull).toMatchObject({ number: 1, base: 'main', state: 'open' })
  })

  test('although it was merged before its number was recorded', async () => {
    const { forge, pulls } = service()
    await ensureOpen(forge, proposal, signal)
    pulls[0] = { ...(pulls[0] as PullRequest), state: 'merged' }
    const { pull } = await ensureOpen(forge, proposal, signal)
    expect(pulls).toHaveLength(1)
    expect(pull.state).toBe('merged')
  })

  test('although two controllers open it at the same time', async () => {
    const { forge, pulls } = service()
    const both = await Promise.all([
      ensureOpen(forge, proposal, signal),
      ensureOpen(forge, proposal, signal),
    ])
    expect(pulls).toHaveLength(1)
    expect(both.map(({ pull }) => pull.number)).toEqual([1, 1])
  })

  test('of several runs on a branch, with the text of the last one', async () => {
    const { forge, pulls } = service()
    await ensureOpen(forge, proposal, signal)
    const uid = '22222222-2222-4222-8222-222222222222'
    await ensureOpen(forge, { ...proposal, uid, body: 'Second.' }, signal)
    expect(pulls).toHaveLength(1)
    expect(pulls[0]?.body).toContain('Second.')
    expect(runsIn(pulls[0]?.body ?? '')).toEqual([proposal.uid, uid])
  })

  test('of a person is used and not changed', async () => {
    const { forge, pulls } = service()
    const { repository, head, title, draft } = proposal
    await forge.openPullRequest(
      { repository, head, base: 'main', title, body: 'Mine.', draft },
      signal,
    )
    await ensureOpen(forge, proposal, signal)
    expect(pulls.map(({ body }) => body)).toEqual(['Mine.'])
  })

  test('is opened after an earlier one was closed', async () => {
    const { forge, pulls } = service()
    await ensureOpen(forge, { ...proposal, uid: '3'.repeat(8) }, signal)
    pulls[0] = { ...(pulls[0] as PullRequest), state: 'closed' }
    const { pull } = await ensureOpen(forge, proposal, signal)
    expect(pull.number).toBe(2)
  })
})

test('what cannot be added is said, and the pull request stays', async () => {
  const { forge } = service()
  const refusing = {
    ...forge,
    addLabels: () => Promise.reject(new ForgeError('missing', 'no such label')),
  }
  const { pull, lacks } = await ensureOpen(refusing, proposal, signal)
  expect(pull.number).toBe(1)
  expect(lacks).toEqual(['the pull request has not all labels: no such label'])
})
