import { describe, expect, test } from 'vitest'
import { mintedTokenSecret } from '../../version-control-provider/vcs-token-secret.ts'
import { branchValue } from './run-indexers.ts'
import { app, onHub, required, resolve, token, vcp, vcsOf } from './testing/repository-run.ts'
import { agent, keys, objectOf, runOf, unready } from './testing/resolution-fixture.ts'

describe('a run that uses version control', () => {
  test.each([
    {
      because: 'specifies no repository',
      run: onHub({ parameters: {} }),
      there: [vcp()],
      left: undefined,
      reason: 'MissingRepository',
    },
    {
      because: 'may not write',
      run: onHub(),
      there: [vcp({ capabilities: { write: false } })],
      left: 'read-only',
      reason: 'VcsCapabilityDenied',
    },
    {
      because: 'may not even read',
      run: onHub(required('read-only')),
      there: [vcp({ capabilities: { read: false } })],
      left: undefined,
      reason: 'VcsCapabilityDenied',
    },
    {
      because: 'uses a platform with version control disabled',
      run: onHub(),
      there: [vcp()],
      env: { JANGAR_AGENTS_CONTROLLER_VCS_PROVIDERS_ENABLED: 'false' },
      left: undefined,
      reason: 'VcsCapabilityDenied',
    },
    {
      because: 'uses an auth method that the service does not support',
      run: onHub(),
      there: [vcp({ provider: 'gitlab', auth: { method: 'app' } })],
      left: undefined,
      reason: 'UnsupportedVcsAuth',
    },
    {
      because: 'uses a provider without a Secret',
      run: onHub(),
      there: [vcp({ auth: { method: 'token' } })],
      left: undefined,
      reason: 'MissingVcsAuth',
    },
    {
      because: 'would write without credentials',
      run: onHub(),
      there: [vcp({ auth: { method: 'none' } })],
      left: 'read-only',
      reason: 'MissingVcsAuth',
    },
    {
      because: 'uses a blocked Secret',
      run: onHub(),
      there: [vcp()],
      env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: 't' },
      left: undefined,
      reason: 'SecretBlocked',
    },
  ])(
    '$because: is refused with $reason if it requires access, else gets none or reads only',
    ({ run, there, env, reason, left }) => {
      const demanding = {
        ...run,
        spec: { ...run.spec, vcsPolicy: { ...run.spec.vcsPolicy, required: true } },
      }
      expect(resolve(demanding, there, env)).toMatchObject({ kind: 'refused', reason })
      const modest = {
        ...run,
        spec: { ...run.spec, vcsPolicy: { ...run.spec.vcsPolicy, required: false } },
      }
      const { vcs, notes } = vcsOf(modest, there, env)
      expect(vcs?.context.mode).toBe(left)
      expect(notes).toHaveLength(left === undefined ? 1 : 0)
    },
  )

  test.each([
    { because: 'the repository is denied', policy: { deny: ['org/*'] } },
    { because: 'deny takes precedence over allow', policy: { allow: ['*'], deny: ['Org/name'] } },
    { because: 'only others are allowed', policy: { allow: ['other/*'] } },
  ])('is refused even if version control is optional: $because', ({ policy }) => {
    // Other spellings refer to the same repository.
    for (const repository of ['Org/name', 'Org/name.git', 'Org/name.GIT.git', ' org/Name.git ']) {
      const run = onHub({ parameters: { repository } })
      expect(resolve(run, [vcp({ repositoryPolicy: policy })])).toMatchObject({
        kind: 'refused',
        reason: 'VcsPolicyDenied',
      })
    }
  })

  test.each([
    { because: 'a parameter, past admission', run: { head: 'refs/heads/main' }, defaults: {} },
    { because: 'an alias of it', run: { headRef: 'refs/heads/main' }, defaults: {} },
    {
      because: 'a template',
      run: { at: 'refs/heads' },
      defaults: { branchTemplate: '{{ parameters.at }}/main' },
    },
    { because: 'what Git expands', run: { head: '@' }, defaults: {} },
    { because: 'a base that is not a branch', run: { base: 'HEAD' }, defaults: {} },
    { because: 'a default base', run: {}, defaults: { baseBranch: 'refs/heads/main' } },
  ])('is not named by $because', ({ run, defaults }) => {
    const parameters = { repository: 'Org/name', ...run }
    expect(resolve(onHub({ parameters }), [vcp({ defaults })])).toMatchObject({
      kind: 'refused',
      reason: 'VcsPolicyDenied',
      message: expect.stringContaining('is not the name of a branch'),
    })
  })

  test.each([
    { because: 'webBaseUrl is the clone address', spec: { webBaseUrl: 'https://GitHub.com' } },
    { because: 'the host has the prefix www', spec: { cloneBaseUrl: 'https://www.github.com/' } },
    { because: 'ssh over the https port', spec: { sshHost: 'ssh.GitHub.com:443' } },
    {
      because: 'the SSH host is derived from webBaseUrl',
      spec: { cloneProtocol: 'ssh', webBaseUrl: 'https://github.com' },
    },
  ])('cannot reach other GitHub repositories through a generic provider: $because', ({ spec }) => {
    const sly = vcp({ provider: 'generic', ...spec })
    const env = { JANGAR_GITHUB_REPOS_ALLOWED: 'org/other' }
    expect(resolve(onHub(), [sly], env)).toMatchObject({ reason: 'VcsPolicyDenied' })
    const elsewhere = vcp({ provider: 'generic', webBaseUrl: 'https://git.example.com' })
    expect(resolve(onHub(), [elsewhere], env)).toMatchObject({ kind: 'resolved' })
  })

  test('is counted, and owns its branch, by the normalized repository name', () => {
    const run = onHub({ parameters: { repository: 'Org/name.git', head: 'fix/7' } })
    const work = vcsOf(run, [vcp()])
    expect(work.repository).toBe('org/name')
    expect(work.vcs?.status.repository).toBe('Org/name')
    expect(branchValue('ORG/name.git', 'b')).toBe(branchValue('org/name', 'b'))
  })

  test('needs no provider if its mode is none', () => {
    const run = onHub({ vcsPolicy: { mode: 'none', required: true } })
    const work = vcsOf(run, [])
    expect(work).toMatchObject({ notes: [] })
    expect(work).not.toHaveProperty('vcs')
  })
})

describe('an agent never gets the credentials of a Git hosting service', () => {
  const ssh = { auth: { ssh: { privateKeySecretRef: { name: 'ssh', key: 'id' } } } }
  const minted = mintedTokenSecret(vcp(app)).name
  const taken = (name: string) => [
    { how: 'as variables', spec: { secrets: [name] }, there: [] },
    {
      how: 'as a volume',
      spec: {
        workload: { volumes: [{ type: 'secret', name: 'v', mountPath: '/v', secretName: name }] },
      },
      there: [],
    },
    {
      how: 'as a prompt',
      spec: { systemPromptRef: { kind: 'Secret', name, key: 'token' } },
      there: [],
    },
    {
      how: "as the agent's prompt",
      spec: {},
      there: [agent({ defaults: { systemPromptRef: { kind: 'Secret', name, key: 'token' } } })],
    },
    {
      how: 'as a Memory',
      spec: { memoryRef: { name: 'm' } },
      there: [objectOf('Memory', 'm', { type: 'custom', connection: { secretRef: { name } } })],
    },
  ]

  test.each(
    [
      { what: 'a token', provider: vcp(), name: 't' },
      { what: 'the key of an app', provider: vcp(app), name: 'app' },
      { what: 'the minted token of an app', provider: vcp(app), name: minted },
      { what: 'an SSH key', provider: vcp(ssh), name: 'ssh' },
    ].flatMap((one) => taken(one.name).map((way) => ({ ...one, ...way }))),
  )('$what, $how', ({ provider, name, spec, there }) => {
    const all = [provider, keys('Secret', minted, 'token'), ...there]
    // Whether or not the run uses a repository, and whatever its Agent allows.
    for (const run of [runOf(spec), onHub(spec)]) {
      const result = resolve(run, all)
      expect(result).toMatchObject({ kind: 'refused', reason: 'SecretBlocked' })
      expect(result).toMatchObject({ message: expect.stringContaining(name) })
    }
  })

  test('but its publisher may use them, although the Agent allows only other Secrets', () => {
    const strict = agent({ security: { allowedSecrets: ['x'] } })
    expect(vcsOf(onHub(required()), [vcp(), strict]).vcs?.auth).toMatchObject({ kind: 'token' })
  })

  test('of another namespace are not affected', () => {
    const theirs = vcp({}, { metadata: { namespace: 'other' } })
    expect(resolve(runOf({ secrets: ['t'] }), [theirs])).toMatchObject({ kind: 'resolved' })
  })
})

test.each(['gitea', 'generic'])(
  'a token of %s is not sent over plain http through webBaseUrl',
  (provider) => {
    const sly = vcp({ provider, webBaseUrl: 'http://git.example.com' })
    expect(resolve(onHub(required()), [sly])).toMatchObject({
      kind: 'refused',
      reason: 'UnsupportedVcsAuth',
      message: expect.stringContaining('unencrypted'),
    })
  },
)

describe('a run waits', () => {
  test.each([
    {
      because: 'if its provider does not exist, required or not',
      run: onHub(),
      there: [],
      reason: 'DependencyMissing',
    },
    {
      because: 'if a provider is required but not specified: the agent may specify it later',
      run: runOf(required()),
      there: [],
      reason: 'DependencyMissing',
    },
    {
      because: 'if the token does not exist',
      run: onHub(),
      there: [vcp({ auth: { token: { secretRef: { name: 't', key: 'other' } } } })],
      reason: 'DependencyMissing',
    },
    {
      because: 'if the host keys do not exist',
      run: onHub(),
      there: [
        vcp({
          auth: {
            ssh: {
              privateKeySecretRef: { name: 'ssh', key: 'id' },
              knownHostsConfigMapRef: { name: 'hosts' },
            },
          },
        }),
      ],
      reason: 'DependencyMissing',
    },
    {
      because: 'if the app has no token yet',
      run: onHub(),
      there: [vcp(app)],
      reason: 'VcsAuthUnavailable',
    },
    {
      because: 'if its provider is not ready',
      run: onHub(),
      there: [vcp({}, unready)],
      reason: 'DependencyNotReady',
    },
  ])('$because', ({ run, there, reason }) => {
    expect(resolve(run, there)).toMatchObject({ kind: 'waiting', reason })
  })
})

describe('the repository of a run', () => {
  test.each([
    {
      because: 'that of the run comes first',
      run: onHub(),
      there: [vcp(), agent({ vcsRef: { name: 'none' } })],
      provider: 'hub',
    },
    {
      because: 'that of the implementation takes precedence over that of the agent',
      run: runOf({
        implementation: { inline: { text: 'x', vcsRef: { name: 'hub' } } },
        parameters: { repository: 'o/r' },
      }),
      there: [vcp(), agent({ vcsRef: { name: 'none' } })],
      provider: 'hub',
    },
    {
      because: 'that of the agent comes last',
      run: runOf({ parameters: { repository: 'o/r' } }),
      there: [vcp(), agent({ vcsRef: { name: 'hub' } })],
      provider: 'hub',
    },
    {
      because: 'none is specified',
      run: runOf({ parameters: { repository: 'o/r' } }),
      there: [vcp()],
      provider: undefined,
    },
  ])('has the right provider: $because', ({ run, there, provider }) => {
    expect(vcsOf(run, there).vcs?.status.provider).toBe(provider)
  })

  test.each([
    {
      because: 'a token is read from its Secret',
      spec: token,
      auth: { kind: 'token', secret: { name: 't', key: 'token' }, username: 'x-access-token' },
    },
    {
      because: 'a user name overrides the default',
      spec: { auth: { username: 'robot', token: { secretRef: { name: 't' } } } },
      auth: { kind: 'token', secret: { name: 't', key: 'token' }, username: 'robot' },
    },
    {
      because: 'an app uses the minted token',
      spec: app,
      auth: { kind: 'token', secret: { name: 'minted', key: 'token' }, username: 'x-access-token' },
    },
    {
      because: 'an SSH key is mounted as a file',
      spec: {
        auth: {
          ssh: { privateKeySecretRef: { name: 'ssh', key: 'id' }, hostKeyPolicy: 'AcceptNew' },
        },
      },
      auth: { kind: 'ssh', secret: { name: 'ssh', key: 'id' }, hostKeyPolicy: 'AcceptNew' },
    },
  ])('is accessed with credentials: $because', ({ spec, auth }) => {
    const provider = vcp(spec)
    const minted = mintedTokenSecret(provider).name
    const named =
      auth.secret.name === 'minted' ? { ...auth, secret: { ...auth.secret, name: minted } } : auth
    expect(vcsOf(onHub(), [provider, keys('Secret', minted, 'token')]).vcs?.auth).toEqual(named)
  })

  test('can be written without credentials if it is local', () => {
    const local = vcp({
      provider: 'generic',
      auth: { method: 'none' },
      cloneBaseUrl: 'file:///srv/git',
    })
    expect(vcsOf(onHub(required()), [local]).vcs?.context.mode).toBe('read-write')
  })

  test.each(['file:///srv/git', 'FILE:///srv/git', ' File:/srv/git'])(
    'gets no credentials at %s, which is local',
    (cloneBaseUrl) => {
      const local = vcp({ provider: 'generic', cloneBaseUrl })
      expect(vcsOf(onHub(), [local]).vcs?.auth).toEqual({ kind: 'none' })
    },
  )

  test('of a generic service is matched case-sensitively', () => {
    const generic = (allow: string) =>
      vcp({ provider: 'generic', repositoryPolicy: { allow: [allow] } })
    expect(resolve(onHub(), [generic('org/*')])).toMatchObject({ reason: 'VcsPolicyDenied' })
    expect(resolve(onHub(), [generic('Org/*')])).toMatchObject({ kind: 'resolved' })
    expect(resolve(onHub(), [vcp({ repositoryPolicy: { allow: ['org/*'] } })])).toMatchObject({
      kind: 'resolved',
    })
  })

  test('has its mode, branches and defaults in the context, but no secret', () => {
    const defaults = {
      baseBranch: 'main',
      branchTemplate: 'agents/{{ agentRun.name }}',
      pullRequest: { draft: true },
    }
    const { vcs, parameters } = vcsOf(onHub(), [
      vcp({ defaults, webBaseUrl: 'https://git.example.com' }),
    ])
    expect(vcs?.context).toEqual({
      provider: 'github',
      providerName: 'hub',
      repository: 'Org/name',
      baseBranch: 'main',
      headBranch: 'agents/r',
      mode: 'read-write',
      writeEnabled: true,
      pullRequestsEnabled: true,
      webBaseUrl: 'https://git.example.com',
      cloneProtocol: 'https',
      defaults,
    })
    expect(vcs?.status).toEqual({
      provider: 'hub',
      repository: 'Org/name',
      baseBranch: 'main',
      headBranch: 'agents/r',
      mode: 'read-write',
    })
    expect(parameters).toEqual({ repository: 'Org/name', base: 'main', head: 'agents/r' })
  })
})
