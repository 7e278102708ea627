import type { ImplementationSource } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { runOnBranch } from './event-origin.ts'

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
