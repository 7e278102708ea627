import type { AgentRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { mintedTokenSecret } from '../../version-control-provider/vcs-token-secret.ts'
import { resolveWork } from './resolve-work.ts'
import { runClaims } from './run-claims.ts'
import { agent, keys, runOf, thing, unheard, unready, workflow, world } from './testing/world.ts'

type Loose = Record<string, unknown>

const token = { auth: { token: { secretRef: { name: 't' } } } }
const vcp = (spec: Loose = {}, rest: Loose = {}) =>
  thing('VersionControlProvider', 'hub', { provider: 'github', ...token, ...spec }, rest)
const secrets = [
  keys('Secret', 't', 'token'),
  keys('Secret', 'app', 'privateKey'),
  keys('Secret', 'ssh', 'id'),
]
const onHub = (spec: Loose = {}, rest: Loose = {}) =>
  runOf({ vcsRef: { name: 'hub' }, parameters: { repository: 'Org/name' }, ...spec }, rest)
const required = (mode?: string) => ({ vcsPolicy: { required: true, ...(mode && { mode }) } })
const app = {
  auth: { app: { appId: 1, installationId: '2', privateKeySecretRef: { name: 'app' } } },
}

const resolve = (run: AgentRun, there: readonly KubeObject[], env: Record<string, string> = {}) =>
  resolveWork(run, undefined, world([...secrets, ...there, run], env))
const vcsOf = (run: AgentRun, there: readonly KubeObject[], env: Record<string, string> = {}) => {
  const resolution = resolve(run, there, env)
  if (resolution.kind !== 'resolved') throw new Error(resolution.message)
  return resolution.work
}

describe('a run that cannot have its repository', () => {
  test.each([
    {
      because: 'names none',
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
      because: 'works on a platform without version control',
      run: onHub(),
      there: [vcp()],
      env: { JANGAR_AGENTS_CONTROLLER_VCS_PROVIDERS_ENABLED: 'false' },
      left: undefined,
      reason: 'VcsCapabilityDenied',
    },
    {
      because: 'signs in in a way that the service does not have',
      run: onHub(),
      there: [vcp({ provider: 'gitlab', auth: { method: 'app' } })],
      left: undefined,
      reason: 'UnsupportedVcsAuth',
    },
    {
      because: 'signs in with a Secret that nobody named',
      run: onHub(),
      there: [vcp({ auth: { method: 'token' } })],
      left: undefined,
      reason: 'MissingVcsAuth',
    },
    {
      because: 'would write without signing in',
      run: onHub(),
      there: [vcp({ auth: { method: 'none' } })],
      left: 'read-only',
      reason: 'MissingVcsAuth',
    },
    {
      because: 'signs in with a forbidden Secret',
      run: onHub(),
      there: [vcp()],
      env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: 't' },
      left: undefined,
      reason: 'SecretBlocked',
    },
    {
      because: 'signs in with a Secret that its agent does not allow',
      run: onHub(),
      there: [vcp(), agent({ security: { allowedSecrets: ['x'] } })],
      left: undefined,
      reason: 'SecretNotAllowed',
    },
    {
      because: "signs in with an app's key that its agent does not allow",
      run: onHub(),
      there: [vcp(app), agent({ security: { allowedSecrets: ['x'] } })],
      left: undefined,
      reason: 'SecretNotAllowed',
    },
  ])(
    '$because: is refused with $reason if it requires it, else goes without or reads',
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
    { because: 'deny outweighs allow', policy: { allow: ['*'], deny: ['Org/name'] } },
    { because: 'others are allowed', policy: { allow: ['other/*'] } },
  ])('is refused even where it could do without: $because', ({ policy }) => {
    expect(resolve(onHub(), [vcp({ repositoryPolicy: policy })])).toMatchObject({
      kind: 'refused',
      reason: 'VcsPolicyDenied',
    })
  })

  test('asks nobody when it wants none', () => {
    const run = onHub({ vcsPolicy: { mode: 'none', required: true } })
    const work = vcsOf(run, [])
    expect(work).toMatchObject({ notes: [] })
    expect(work).not.toHaveProperty('vcs')
  })
})

describe('a run waits', () => {
  test.each([
    {
      because: 'its provider is not there, required or not',
      run: onHub(),
      there: [],
      reason: 'DependencyMissing',
    },
    {
      because: 'one is required and the agent may yet name it',
      run: runOf(required()),
      there: [],
      reason: 'DependencyMissing',
    },
    {
      because: 'the token is not there',
      run: onHub(),
      there: [vcp({ auth: { token: { secretRef: { name: 't', key: 'other' } } } })],
      reason: 'DependencyMissing',
    },
    {
      because: 'the host keys are not there',
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
      because: 'the app has no token yet',
      run: onHub(),
      there: [vcp(app)],
      reason: 'VcsAuthUnavailable',
    },
    {
      because: 'its provider is out of order',
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
      because: "the run's provider goes first",
      run: onHub(),
      there: [vcp(), agent({ vcsRef: { name: 'none' } })],
      provider: 'hub',
    },
    {
      because: "the work's goes before the agent's",
      run: runOf({
        implementation: { inline: { text: 'x', vcsRef: { name: 'hub' } } },
        parameters: { repository: 'o/r' },
      }),
      there: [vcp(), agent({ vcsRef: { name: 'none' } })],
      provider: 'hub',
    },
    {
      because: "the agent's is left",
      run: runOf({ parameters: { repository: 'o/r' } }),
      there: [vcp(), agent({ vcsRef: { name: 'hub' } })],
      provider: 'hub',
    },
    {
      because: 'nobody names one',
      run: runOf({ parameters: { repository: 'o/r' } }),
      there: [vcp()],
      provider: undefined,
    },
  ])('is reached as it says who: $because', ({ run, there, provider }) => {
    expect(vcsOf(run, there).vcs?.status.provider).toBe(provider)
  })

  test.each([
    {
      because: 'a token comes from its Secret',
      spec: token,
      auth: { kind: 'token', secret: { name: 't', key: 'token' }, username: 'x-access-token' },
    },
    {
      because: 'a user name outranks the usual',
      spec: { auth: { username: 'robot', token: { secretRef: { name: 't' } } } },
      auth: { kind: 'token', secret: { name: 't', key: 'token' }, username: 'robot' },
    },
    {
      because: 'an app signs in with what was minted',
      spec: app,
      auth: { kind: 'token', secret: { name: 'minted', key: 'token' }, username: 'x-access-token' },
    },
    {
      because: 'a key comes as a file',
      spec: { auth: { ssh: { privateKeySecretRef: { name: 'ssh', key: 'id' } } } },
      auth: { kind: 'ssh', secret: { name: 'ssh', key: 'id' } },
    },
  ])('is signed in to: $because', ({ spec, auth }) => {
    const provider = vcp(spec)
    const minted = mintedTokenSecret(provider).name
    const named =
      auth.secret.name === 'minted' ? { ...auth, secret: { ...auth.secret, name: minted } } : auth
    expect(vcsOf(onHub(), [provider, keys('Secret', minted, 'token')]).vcs?.auth).toEqual(named)
  })

  test('may be written without signing in where it lies on the same machine', () => {
    const local = vcp({
      provider: 'generic',
      auth: { method: 'none' },
      cloneBaseUrl: 'file:///srv/git',
    })
    expect(vcsOf(onHub(required()), [local]).vcs?.context.mode).toBe('read-write')
  })

  test('of an unknown service is allowed letter by letter', () => {
    const generic = (allow: string) =>
      vcp({ provider: 'generic', repositoryPolicy: { allow: [allow] } })
    expect(resolve(onHub(), [generic('org/*')])).toMatchObject({ reason: 'VcsPolicyDenied' })
    expect(resolve(onHub(), [generic('Org/*')])).toMatchObject({ kind: 'resolved' })
    expect(resolve(onHub(), [vcp({ repositoryPolicy: { allow: ['org/*'] } })])).toMatchObject({
      kind: 'resolved',
    })
  })

  test('is told with its rules, its branches and no secret', () => {
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

describe('the branch of a run', () => {
  const defaults = {
    branchTemplate: 'fix/{{ inputs.issueNumber }}',
    branchConflictSuffixTemplate: '{{ agentRun.name }}',
  }
  const provider = vcp({ defaults })
  const at = (time: string, name: string) => ({
    metadata: { name, uid: name, creationTimestamp: `2026-01-0${time}T00:00:00Z` },
  })
  const parameters = { repository: 'Org/name', issue: '7' }
  const run = onHub({ parameters }, at('2', 'r'))
  const other = (created: string, status: Loose) =>
    onHub(
      {},
      {
        ...at(created, 'other'),
        status: { vcs: { repository: 'org/NAME', headBranch: 'fix/7' }, ...status },
      },
    )
  const finished = {
    conditions: [{ type: 'Finished', status: 'True', reason: 'Failed', message: '' }],
  }

  /** What runs are told who ask one after the other, before any of it is on record. */
  const givenTo = (...runs: AgentRun[]) => {
    const claims = runClaims(unheard)
    return runs.map((each) => {
      const there = world([...secrets, provider, each])
      const resolution = resolveWork(each, undefined, { ...there, claims })
      if (resolution.kind !== 'resolved') return resolution.kind
      return resolution.work.vcs?.status.headBranch
    })
  }

  test.each([
    { because: 'nobody else works on it', there: [], is: 'fix/7' },
    { because: 'an older run has it', there: [other('1', {})], is: 'fix/7-r' },
    { because: 'the other run is younger and has not begun', there: [other('3', {})], is: 'fix/7' },
    {
      because: 'the other run is younger and has begun',
      there: [other('3', { attempts: 1 })],
      is: 'fix/7-r',
    },
    { because: 'the other run has finished', there: [other('1', finished)], is: 'fix/7' },
    {
      because: 'the other run has another branch',
      there: [other('1', { vcs: { repository: 'Org/name', headBranch: 'fix/8' } })],
      is: 'fix/7',
    },
    {
      because: 'the other run has another repository',
      there: [other('1', { vcs: { repository: 'Org/else', headBranch: 'fix/7' } })],
      is: 'fix/7',
    },
  ])('is $is when $because', ({ there, is }) => {
    expect(vcsOf(run, [provider, ...there]).vcs?.status.headBranch).toBe(is)
  })

  test.each([
    { because: 'with the suffix', mine: 'fix/7-r' },
    { because: 'without the suffix', mine: 'fix/7' },
    { because: 'with one more that its runner had to add', mine: 'fix/7-r-r' },
  ])('stays once the run has begun, $because', ({ mine }) => {
    const begun = {
      ...run,
      status: { attempts: 1, vcs: { repository: 'Org/name', headBranch: mine } },
    } as AgentRun
    expect(vcsOf(begun, [provider, other('1', { attempts: 1 })]).vcs?.status.headBranch).toBe(mine)
  })

  test.each([
    { because: 'another repository', of: { repository: 'Org/else', headBranch: 'fix/7' } },
    { because: 'another branch', of: { repository: 'Org/name', headBranch: 'fix/8' } },
    { because: 'no repository', of: undefined },
  ])("of a later step is nobody else's, though the run has begun in $because", ({ of }) => {
    const begun = { ...run, status: { attempts: 1, ...(of && { vcs: of }) } } as AgentRun
    const headOf = (...there: KubeObject[]) =>
      vcsOf(begun, [provider, ...there]).vcs?.status.headBranch
    expect([headOf(), headOf(other('3', { attempts: 1 }))]).toEqual(['fix/7', 'fix/7-r'])
  })

  test('keeps its suffix when the other run ends before this one begins', () => {
    const vcs = { repository: 'Org/name', headBranch: 'fix/7-r' }
    const told = { ...run, status: { vcs } } as AgentRun
    expect(vcsOf(told, [provider]).vcs?.status.headBranch).toBe('fix/7-r')
  })

  test('is not given to two that ask before either is on record', () => {
    const older = onHub({ parameters }, at('1', 'older'))
    expect(givenTo(run, older, run)).toEqual(['fix/7', 'fix/7-older', 'fix/7'])
  })

  test.each([
    { because: 'is not kept for a run that waits', spec: { secrets: ['absent'] }, is: 'fix/7' },
    {
      because: 'is not kept for a run of which a later step waits',
      spec: workflow({ name: 's1' }, { name: 's2', implementationSpecRef: { name: 'absent' } }),
      is: 'fix/7',
    },
    {
      because: 'is kept for a run that has its place, whatever its next attempt waits for',
      spec: { secrets: ['absent'] },
      status: { conditions: [{ type: 'Admitted', status: 'True' }] },
      is: 'fix/7-r',
    },
  ])('$because', ({ spec, status = {}, is }) => {
    const waits = onHub({ parameters, ...spec }, { ...at('1', 'waits'), status })
    expect(givenTo(waits, run)).toEqual(['waiting', is])
  })

  test('that a parameter names goes before the template', () => {
    const named = onHub({ parameters: { repository: 'Org/name', headRef: 'mine' } })
    expect(vcsOf(named, [provider]).vcs?.status.headBranch).toBe('mine')
  })

  test('is left to the runner where nobody names it', () => {
    expect(vcsOf(run, [vcp()]).vcs?.status).not.toHaveProperty('headBranch')
  })

  test('is no guess: an unknown path refuses the run and is named', () => {
    expect(resolve(onHub(), [provider])).toMatchObject({
      kind: 'refused',
      reason: 'InvalidTemplate',
      message: expect.stringMatching(
        /defaults\.branchTemplate of VersionControlProvider hub: there is no inputs\.issueNumber/,
      ),
    })
  })
})
