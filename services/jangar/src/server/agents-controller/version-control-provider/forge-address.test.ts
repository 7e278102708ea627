import { describe, expect, test } from 'vitest'
import { forgeAddress } from './forge-address.ts'
import { wantsPullRequest } from './wants-pull-request.ts'

type Spec = Parameters<typeof wantsPullRequest>[0]['spec']

describe('the address of the API', () => {
  const rows: { because: string; spec: Spec; is: string | undefined }[] = [
    { because: 'GitHub', spec: { provider: 'github' }, is: 'https://api.github.com' },
    { because: 'GitLab', spec: { provider: 'gitlab' }, is: 'https://gitlab.com/api/v4' },
    { because: 'Gitea has none', spec: { provider: 'gitea' }, is: undefined },
    {
      because: 'Gitea, by its web interface',
      spec: { provider: 'gitea', webBaseUrl: 'https://git.example.com/x/' },
      is: 'https://git.example.com/x/api/v1',
    },
    {
      because: 'Bitbucket',
      spec: { provider: 'bitbucket', cloneBaseUrl: 'https://bitbucket.org' },
      is: 'https://api.bitbucket.org/2.0',
    },
    {
      because: 'Bitbucket Data Center is not supported',
      spec: { provider: 'bitbucket', cloneBaseUrl: 'https://bitbucket.example.com' },
      is: undefined,
    },
    {
      because: 'the token of an own GitHub is not for the public one',
      spec: { provider: 'github', cloneBaseUrl: 'https://ghe.example.com' },
      is: 'https://ghe.example.com/api/v3',
    },
    {
      because: 'the public one is known by its host',
      spec: { provider: 'github', cloneBaseUrl: 'https://github.com' },
      is: 'https://api.github.com',
    },
    {
      because: 'what is given comes first',
      spec: { provider: 'gitlab', apiBaseUrl: 'https://a/b', webBaseUrl: 'https://c' },
      is: 'https://a/b',
    },
    {
      because: 'a token is never sent unencrypted',
      spec: { provider: 'gitea', webBaseUrl: 'http://git.example.com' },
      is: undefined,
    },
    {
      because: 'except within the machine',
      spec: { provider: 'gitea', cloneBaseUrl: 'http://127.0.0.1:3000' },
      is: 'http://127.0.0.1:3000/api/v1',
    },
    {
      because: 'a local repository has no API',
      spec: { provider: 'gitea', cloneBaseUrl: 'file:///srv' },
      is: undefined,
    },
    {
      because: 'other services are unknown',
      spec: { provider: 'generic', apiBaseUrl: 'https://a' },
      is: undefined,
    },
  ]
  test.each(rows)('$because: $is', ({ spec, is }) => {
    expect(forgeAddress(spec)?.baseUrl).toBe(is)
  })
})

describe('a pull request', () => {
  const auth = { token: { secretRef: { name: 's' } } }
  const pushed = { headBranch: 'agents/r', baseBranch: 'main', pushed: true }
  const rows: { because: string; spec?: object; vcs?: object; is: boolean }[] = [
    { because: 'is opened by default', is: true },
    { because: 'needs a push', vcs: { pushed: false }, is: false },
    { because: 'needs another branch', vcs: { headBranch: 'main' }, is: false },
    { because: 'needs a token', spec: { auth: {} }, is: false },
    {
      because: 'needs a token, which an SSH key is not',
      spec: {
        auth: {
          ssh: { privateKeySecretRef: { name: 's' }, knownHostsConfigMapRef: { name: 'k' } },
        },
      },
      is: false,
    },
    { because: 'can be denied', spec: { capabilities: { pullRequests: false } }, is: false },
    {
      because: 'can be disabled',
      spec: { defaults: { pullRequest: { enabled: false } } },
      is: false,
    },
    { because: 'needs a known service', spec: { provider: 'generic' }, is: false },
  ]
  test.each(rows)('$because', ({ spec, vcs, is }) => {
    const provider = {
      ...{ apiVersion: 'v', kind: 'VersionControlProvider', metadata: { name: 'hub' } },
      spec: { provider: 'github', auth, ...spec } as Spec,
    }
    expect(wantsPullRequest(provider, { ...pushed, ...vcs })).toBe(is)
  })
})
