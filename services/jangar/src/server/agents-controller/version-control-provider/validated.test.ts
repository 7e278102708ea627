import type { VersionControlProvider } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { validated } from './validated.ts'

const context = { now: new Date(0), signal: new AbortController().signal }
const gate = validated({ github: ['pat'] })
const pat = { token: { type: 'pat', secretRef: { name: 's' } } } as const

describe('the spec of a service', () => {
  test.each([
    { because: 'it may be bare', spec: { provider: 'github' }, expected: /^pass Valid/ },
    {
      because: 'a token may be on its way out',
      spec: { provider: 'github', auth: pat },
      expected: /^pass DeprecatedAuth: .*pat/,
    },
    {
      because: 'but not everywhere',
      spec: { provider: 'gitlab', auth: pat },
      expected: /^pass Valid/,
    },
    {
      because: 'it may lack a Secret',
      spec: { provider: 'github', auth: { method: 'token' } },
      expected: /^stall MissingSecretRef/,
    },
    {
      because: 'a branch may be named after what there never is',
      spec: { provider: 'github', defaults: { branchTemplate: 'x/{{ run.name }}' } },
      expected: /^stall InvalidTemplate: spec\.defaults\.branchTemplate.*run\.name/,
    },
    {
      because: 'a title may be no template',
      spec: { provider: 'github', defaults: { pullRequest: { titleTemplate: '{{ oops' } } },
      expected: /^stall InvalidTemplate: spec\.defaults\.pullRequest\.titleTemplate/,
    },
  ] as const)('$because', async ({ spec, expected }) => {
    const provider = { metadata: { name: 'p' }, spec } as VersionControlProvider
    const { kind, reason, message } = await gate.check(provider, {}, context)
    expect(`${kind} ${reason}: ${message}`).toMatch(expected)
  })
})
