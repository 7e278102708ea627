import { describe, expect, test } from 'vitest'
import { resolveWork } from '../agents-controller/agent-run/resolve/resolve-work.ts'
import {
  keys,
  portsWith,
} from '../agents-controller/agent-run/resolve/testing/resolution-fixture.ts'
import { onHub, vcp } from '../agents-controller/agent-run/workload/testing/built.ts'

const github = { provider: 'github' }

describe('JANGAR_GITHUB_REPOS_ALLOWED', () => {
  test.each([
    { because: 'the repository is listed', allowed: 'other/x,o/r', spec: github, kind: 'resolved' },
    { because: 'its owner is listed', allowed: 'o/*', spec: github, kind: 'resolved' },
    { because: 'names are case-insensitive', allowed: 'O/R', spec: github, kind: 'resolved' },
    {
      because: 'only other repositories are listed',
      allowed: 'other/*',
      spec: github,
      kind: 'refused',
    },
    {
      because: 'a pattern must match the whole name',
      allowed: 'o/r-*',
      spec: github,
      kind: 'refused',
    },
    {
      because: 'a generic provider with a GitHub URL is covered',
      allowed: 'other/*',
      spec: { provider: 'generic', cloneBaseUrl: 'https://GitHub.com' },
      kind: 'refused',
    },
    {
      because: 'other services are not covered',
      allowed: 'other/*',
      spec: { provider: 'gitlab' },
      kind: 'resolved',
    },
  ])('$kind: $because', ({ allowed, spec, kind }) => {
    const run = onHub()
    const there = [run, vcp(spec), keys('Secret', 't', 'token')]
    const ports = portsWith(there, { JANGAR_GITHUB_REPOS_ALLOWED: allowed })
    expect(resolveWork(run, undefined, ports)).toMatchObject({
      kind,
      ...(kind === 'refused' && { reason: 'VcsPolicyDenied' }),
    })
  })
})
