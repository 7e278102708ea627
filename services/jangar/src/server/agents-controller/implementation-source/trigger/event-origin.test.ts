import type { ImplementationSource } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { checkedEvent, runOnBranch } from './event-origin.ts'
import type { TriggerEvent } from './trigger-event.ts'

const [pushed, other] = ['a'.repeat(40), 'b'.repeat(40)]

const source = {
  metadata: { namespace: 'agents', name: 'issues' },
  spec: { provider: 'gitea', vcsRef: { name: 'forge' } },
} as unknown as ImplementationSource

const providers = {
  'agents/forge': { spec: { provider: 'gitea', cloneBaseUrl: 'https://git.example' } },
  'agents/same': { spec: { provider: 'generic', sshHost: 'git.example' } },
  'agents/another': { spec: { provider: 'gitea', cloneBaseUrl: 'https://other.example' } },
  'strangers/forge': { spec: { provider: 'gitea', cloneBaseUrl: 'https://git.example' } },
}

interface Run {
  readonly namespace?: string
  readonly vcs: object
  readonly isActive?: boolean
}

function caches({ namespace = 'agents', vcs, isActive = false }: Run) {
  const conditions = isActive ? [] : [{ type: 'Finished', status: 'True' }]
  const status = { conditions, vcs: { provider: 'forge', repository: 'Owner/App', ...vcs } }
  const run = { metadata: { namespace, name: 'one' }, status }
  return {
    agentRuns: { list: (of?: string) => (of === undefined || of === namespace ? [run] : []) },
    versionControlProviders: { get: (key: keyof typeof providers) => providers[key] },
  } as unknown as Parameters<typeof runOnBranch>[0]
}

const onMain = { headBranch: 'main', baseBranch: 'main' }
const onOwn = { headBranch: 'agents/1', baseBranch: 'main' }

describe('a push is that of a run', () => {
  test.each<{ when: string; branch: string; run: Run; expected: boolean }>([
    { when: 'to its branch', branch: 'agents/1', run: { vcs: onOwn }, expected: true },
    {
      when: 'to its branch by another provider of the same forge',
      ...{ branch: 'agents/1', run: { vcs: { ...onOwn, provider: 'same' } }, expected: true },
    },
    {
      when: 'to a branch of the same name on another forge',
      ...{ branch: 'agents/1', run: { vcs: { ...onOwn, provider: 'another' } }, expected: false },
    },
    {
      when: 'to a branch that a run of another namespace claims',
      ...{ branch: 'agents/1', run: { namespace: 'strangers', vcs: onOwn }, expected: false },
    },
    {
      when: 'to the base branch that a run of another namespace claims now',
      branch: 'main',
      run: { namespace: 'strangers', vcs: onMain, isActive: true },
      expected: false,
    },
    {
      when: 'to the base branch while it works there',
      ...{ branch: 'main', run: { vcs: onMain, isActive: true }, expected: true },
    },
    {
      when: 'of its commit to the base branch',
      ...{ branch: 'main', run: { vcs: { ...onMain, commit: pushed } }, expected: true },
    },
    {
      when: 'of another commit to the base branch',
      ...{ branch: 'main', run: { vcs: { ...onMain, commit: other } }, expected: false },
    },
    {
      when: 'of its commit to the base branch by people, who fast-forward',
      ...{ branch: 'main', run: { vcs: { ...onOwn, commit: pushed } }, expected: false },
    },
  ])('$when: $expected', ({ branch, run, expected }) => {
    const found = runOnBranch(caches(run), source, 'owner/app', { branch, commit: pushed })
    expect(found !== undefined).toBe(expected)
  })
})

describe('a check that fails', () => {
  const labels = { 'agents.proompteng.ai/implementation-source': 'issues' }
  const annotations = { 'agents.proompteng.ai/triggered-by': 'gitea:operator' }
  const pullRequest = { number: 9, state: 'Open' }
  const done = { ...onOwn, commit: pushed, pushed: true }

  function checked(vcs: object, { isActive = true, branches = [] as readonly string[] } = {}) {
    const { agentRuns } = caches({ vcs, isActive })
    const [run] = agentRuns.list()
    const labelled = { ...run, metadata: { ...run?.metadata, labels, annotations } }
    const known = { agentRuns: { list: () => [labelled] }, orchestrationRuns: { list: () => [] } }
    const check = { repository: 'owner/app', commit: pushed, name: 'ci', text: '', branches }
    const event = { check, number: 0 } as unknown as TriggerEvent
    return checkedEvent(known as never, source, event, check)
  }

  test.each([
    { because: 'the run has not reported its commit', vcs: onOwn, branches: ['agents/1'] },
    { because: 'neither that, nor the service the branch', vcs: onOwn, branches: [] },
    { because: 'the run goes on after its push', vcs: done, branches: [] },
  ])('waits while $because', ({ vcs, branches }) => {
    expect(checked(vcs, { branches })).toMatchObject({ kind: 'later' })
  })

  test.each([
    { because: 'no run works there', vcs: onOwn, isActive: false, branches: [] },
    { because: 'its branch is another one', vcs: onOwn, isActive: true, branches: ['main'] },
    { because: 'the run opens no pull request', vcs: done, isActive: false, branches: [] },
    {
      because: 'the run has only begun with the commit',
      vcs: { ...done, pullRequest, pushed: false },
      ...{ isActive: false, branches: [] },
    },
  ])('starts nothing if $because', ({ vcs, isActive, branches }) => {
    expect(checked(vcs, { isActive, branches })).toMatchObject({ kind: 'refused' })
  })

  test('is about the pull request, and caused by whoever started the run', () => {
    const event = checked({ ...done, pullRequest }, { isActive: false })
    expect(event).toMatchObject({ number: 9, externalId: 'owner/app#9', actor: 'operator' })
  })
})
