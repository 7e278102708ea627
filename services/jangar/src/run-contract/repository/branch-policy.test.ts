import { describe, expect, test } from 'vitest'
import { type BranchFacts, type BranchPolicy, branchProblem } from './branch-policy.ts'

describe('a push', () => {
  test.each<{
    because: string
    branch: string
    policy?: BranchPolicy
    facts?: BranchFacts
    is?: RegExp
  }>([
    { because: 'an own branch is free', branch: 'agents/r' },
    { because: 'main is protected by default', branch: 'main', is: /protected/ },
    { because: 'so is a release', branch: 'release/1', is: /protected/ },
    { because: 'case does not help', branch: 'MAIN', is: /protected/ },
    { because: 'base', branch: 'dev', facts: { providerBase: 'dev' }, is: /the base branch/ },
    { because: 'the run’s base', branch: 'dev', facts: { runBase: 'Dev' }, is: /the base branch/ },
    {
      because: 'another base of the run does not hide the provider’s',
      branch: 'develop',
      facts: { providerBase: 'develop', runBase: 'main' },
      is: /the base branch/,
    },
    {
      because: 'a run lifts no protection by its choice of a base',
      branch: 'release/1',
      policy: { allowBaseBranch: true },
      facts: { providerBase: 'main', defaultBranch: 'main', runBase: 'release/1' },
      is: /protected/,
    },
    {
      because: 'the run’s base may be allowed where nothing protects it',
      branch: 'feature',
      policy: { allowBaseBranch: true },
      facts: { runBase: 'feature' },
    },
    {
      because: 'the remote’s default branch',
      branch: 'dev',
      facts: { runBase: 'v1', defaultBranch: 'Dev' },
      is: /default branch of the remote/,
    },
    {
      because: 'the base may be allowed, though it is main',
      branch: 'main',
      policy: { allowBaseBranch: true },
      facts: { defaultBranch: 'main', runBase: 'main' },
    },
    {
      because: 'but no other protected one with it',
      branch: 'master',
      policy: { allowBaseBranch: true },
      facts: { providerBase: 'main' },
      is: /protected/,
    },
    {
      because: 'an explicit list outweighs that',
      branch: 'main',
      policy: { allowBaseBranch: true, protected: ['main'] },
      facts: { providerBase: 'main' },
      is: /protected/,
    },
    { because: 'an empty list protects nothing', branch: 'main', policy: { protected: [] } },
    { because: 'an allow list', branch: 'x', policy: { allow: ['agents/*'] }, is: /not among/ },
    { because: 'an allow list that fits', branch: 'agents/x', policy: { allow: ['agents/*'] } },
  ])('$because: $branch', ({ branch, policy = {}, facts = {}, is }) => {
    const problem = branchProblem(branch, policy, facts)
    if (is === undefined) expect(problem).toBeUndefined()
    else expect(problem).toMatch(is)
  })
})
