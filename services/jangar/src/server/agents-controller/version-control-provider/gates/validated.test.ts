import type { VersionControlProvider } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { validated } from './validated.ts'

const context = { now: new Date(0), signal: new AbortController().signal }
const gate = validated({ github: ['pat'] })
const signedIn = { token: { secretRef: { name: 's' } } }
const pat = { token: { type: 'pat', secretRef: { name: 's' } } } as const

describe('the spec of a VersionControlProvider', () => {
  test.each([
    { because: 'auth is optional', spec: { provider: 'github' }, expected: /^pass Valid/ },
    {
      because: 'a deprecated token type causes a warning',
      spec: { provider: 'github', auth: pat },
      expected: /^pass DeprecatedAuth: .*pat/,
    },
    {
      because: 'the token type is not deprecated for another service',
      spec: { provider: 'gitlab', auth: pat },
      expected: /^pass Valid/,
    },
    {
      because: 'the reference to a Secret is missing',
      spec: { provider: 'github', auth: { method: 'token' } },
      expected: /^stall MissingSecretRef/,
    },
    {
      because: 'the branch template uses an unknown root',
      spec: { provider: 'github', defaults: { branchTemplate: 'x/{{ run.name }}' } },
      expected: /^stall InvalidTemplate: spec\.defaults\.branchTemplate.*run\.name/,
    },
    {
      because: 'runs may change what decides about merging them',
      spec: {
        ...{ provider: 'github', pushPolicy: { deniedPaths: [] } },
        defaults: { pullRequest: { autoMerge: true } },
      },
      expected: /^stall UnsafeAutoMerge: spec\.defaults\.pullRequest\.autoMerge/,
    },
    {
      because: 'runs may not change definitions of CI by default',
      spec: { provider: 'github', defaults: { pullRequest: { autoMerge: true } } },
      expected: /^pass Valid/,
    },
    {
      because: 'templates use parameters and metadata without a root',
      spec: {
        provider: 'github',
        defaults: {
          branchTemplate: 'codex/{{issueNumber}}',
          pullRequest: {
            titleTemplate: 'Codex: {{repository}}',
            bodyTemplate: 'Closes #{{issueNumber}}',
          },
        },
      },
      expected: /^pass Valid/,
    },
    ...[
      ['apiBaseUrl', 'http://api.example.com', 'unencrypted'],
      ['cloneBaseUrl', 'http://git.example.com', 'unencrypted'],
      ['cloneBaseUrl', 'HTTP://git.example.com', 'unencrypted'],
      ['apiBaseUrl', 'http://127.0.0.1.example.com', 'unencrypted'],
      // Without cloneBaseUrl, Gitea repositories are cloned from webBaseUrl, since there is no public service.
      ['webBaseUrl', 'http://git.example.com', 'unencrypted'],
      ['apiBaseUrl', 'ftp://api.example.com', 'the scheme ftp'],
      ['cloneBaseUrl', 'ftp://git.example.com', 'the scheme ftp'],
      ['cloneBaseUrl', 'ext::sh', 'the scheme ext'],
      // Nothing could be cloned from these.
      ['cloneBaseUrl', 'ssh://git@git.example.com', 'spec.sshHost'],
      ['cloneBaseUrl', 'https://git.example.com?x=1', 'a query or a fragment'],
      ['cloneBaseUrl', 'https://git.example.com#x', 'a query or a fragment'],
      ['apiBaseUrl', 'file:///etc', 'the scheme file'],
      ['cloneBaseUrl', 'https://user:pass@git.example.com', 'contains a credential'],
      ['apiBaseUrl', 'https://token@api.example.com', 'contains a credential'],
      ['webBaseUrl', 'javascript:alert(1)', 'the scheme javascript'],
      ['apiBaseUrl', 'not a url', 'not a valid URL'],
    ].map(([field = '', value, problem]) => ({
      because: `${field} is ${value}`,
      spec: { provider: 'gitea', auth: signedIn, [field]: value },
      expected: new RegExp(`^stall InvalidAddress: spec\\.${field} .*${problem}`),
    })),
    ...[
      { auth: signedIn, apiBaseUrl: 'https://api.example.com' },
      { auth: signedIn, apiBaseUrl: 'http://127.0.0.1:3000', cloneBaseUrl: 'http://[::1]:3000' },
      { auth: signedIn, cloneBaseUrl: 'ssh://git@git.example.com', sshHost: 'git.example.com' },
      {
        auth: signedIn,
        webBaseUrl: 'http://git.example.com',
        cloneBaseUrl: 'https://git.example.com',
      },
      { auth: signedIn, provider: 'github', webBaseUrl: 'http://git.example.com' },
      { cloneBaseUrl: 'http://git.example.com' },
      { cloneBaseUrl: 'file:///srv/git' },
    ].map((spec) => ({
      because: `${JSON.stringify(spec)} sends no credentials unencrypted`,
      spec: { provider: 'gitea', ...spec },
      expected: /^pass Valid/,
    })),
    {
      because: 'the template of a title is invalid',
      spec: { provider: 'github', defaults: { pullRequest: { titleTemplate: '{{ oops' } } },
      expected: /^stall InvalidTemplate: spec\.defaults\.pullRequest\.titleTemplate/,
    },
  ])('$because', async ({ spec, expected }) => {
    const provider = { metadata: { name: 'p' }, spec } as unknown as VersionControlProvider
    const { kind, reason, message } = await gate.check(provider, {}, context)
    expect(`${kind} ${reason}: ${message}`).toMatch(expected)
  })
})
