import type { VersionControlProvider } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { ciDefinitions } from '../../../run-contract/repository/push-policy.ts'
import { autoMergeProblem } from './auto-merge-problem.ts'

type PushPolicy = NonNullable<VersionControlProvider['spec']['pushPolicy']>

function problem(pushPolicy: PushPolicy | undefined, autoMerge = true): string | undefined {
  const defaults = { pullRequest: { autoMerge } }
  return autoMergeProblem({ provider: 'github', defaults, ...(pushPolicy && { pushPolicy }) })
}

test.each<{ because: string; pushPolicy: PushPolicy | undefined }>([
  { because: 'the default denies them', pushPolicy: undefined },
  { because: 'the default denies them, whatever is allowed', pushPolicy: { allowedPaths: ['*'] } },
  {
    because: 'they are denied among others',
    pushPolicy: { deniedPaths: ['infra/*', ...ciDefinitions] },
  },
  { because: 'everything is denied', pushPolicy: { deniedPaths: ['*'] } },
  {
    because: 'only other folders are allowed',
    pushPolicy: { deniedPaths: [], allowedPaths: ['src/*', 'docs/*.md'] },
  },
])('runs cannot change definitions of CI: $because', ({ pushPolicy }) => {
  expect(problem(pushPolicy)).toBeUndefined()
})

test.each<{ because: string; pushPolicy: PushPolicy }>([
  { because: 'nothing is denied', pushPolicy: { deniedPaths: [] } },
  { because: 'other paths are denied', pushPolicy: { deniedPaths: ['infra/*'] } },
  { because: 'one is missing', pushPolicy: { deniedPaths: ciDefinitions.slice(1) } },
  {
    because: 'only one file of a folder is denied',
    pushPolicy: { deniedPaths: ['.github/workflows/ci.yml', ...ciDefinitions.slice(1)] },
  },
  {
    because: 'a link can replace the folder above',
    pushPolicy: { deniedPaths: ['*workflows/*', ...ciDefinitions.slice(1)] },
  },
  {
    because: 'what is allowed may be one of them',
    pushPolicy: { deniedPaths: [], allowedPaths: ['src/*', '*.yml'] },
  },
  {
    because: 'a folder above is allowed',
    pushPolicy: { deniedPaths: [], allowedPaths: ['.github/*'] },
  },
  {
    because: 'one of them is allowed, in other case',
    pushPolicy: { deniedPaths: [], allowedPaths: ['JENKINSFILE'] },
  },
])('runs might change definitions of CI: $because', ({ pushPolicy }) => {
  expect(problem(pushPolicy)).toMatch(/^spec\.defaults\.pullRequest\.autoMerge .*spec\.pushPolicy/)
  expect(problem(pushPolicy, false)).toBeUndefined()
})
