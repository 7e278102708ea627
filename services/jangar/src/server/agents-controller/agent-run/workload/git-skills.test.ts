import { describe, expect, test } from 'vitest'
import { parseSkillsPlan, skillsPlanVariable } from '../../../../run-contract/skills-plan.ts'
import { resolveWork } from '../resolve/resolve-work.ts'
import { agent, keys, portsWith, runOf } from '../resolve/testing/resolution-fixture.ts'
import { built, containerOf, documentsOf, onHub, provider, vcp } from './testing/built.ts'

const url = 'https://git.example.com/team/skills.git'
const git = { url, ref: 'v1', path: 'skills/notes' }
const cli = { name: 'codex' }
const tokenSecret = keys('Secret', 't', 'token')

function agentWith(...gits: object[]) {
  return agent({ skills: gits.map((one, index) => ({ name: `notes-${index}`, git: one })) })
}

function resolutionOf(objects: Parameters<typeof portsWith>[0], env: Record<string, string> = {}) {
  const run = runOf()
  return resolveWork(run, undefined, portsWith([provider({ cli }), ...objects, run], env))
}

function podOf(...given: Parameters<typeof built>) {
  const objects = built(...given)
  const { spec } = objects.job.spec.template
  const inits = spec.initContainers ?? []
  const container = inits.find(({ name }) => name === 'skills')
  const env = Object.fromEntries((container?.env ?? []).map(({ name, ...rest }) => [name, rest]))
  const plan = parseSkillsPlan(env[skillsPlanVariable]?.value ?? '')
  return { objects, spec, inits, container, env, plan: plan.ok ? plan.value : undefined }
}

test('skills from a repository are fetched by a container of the platform, before the agent starts', () => {
  const { objects, spec, container, env, plan } = podOf(runOf(), [
    agentWith(git),
    provider({ cli }),
  ])
  expect(container).toMatchObject({
    command: ['agent-checkout', 'skills'],
    volumeMounts: [{ name: 'agents-skills', mountPath: '/var/run/agents/skills' }],
    securityContext: { runAsUser: 65_533, readOnlyRootFilesystem: true },
  })
  expect(plan).toEqual({ skills: [{ name: 'notes-0', ...git, isSigned: false }] })
  expect(Object.keys(env).filter((name) => name.startsWith('VCS_'))).toEqual([])
  expect(containerOf(objects).volumeMounts).toContainEqual({
    name: 'agents-skills',
    mountPath: '/var/run/agents/skills',
    readOnly: true,
  })
  expect(documentsOf(objects).runner.skills).toEqual([{ name: 'notes-0', isFetched: true }])
  expect(spec.containers).toHaveLength(1)
})

test('a credential is in the container that fetches skills, and in no other', () => {
  const hub = vcp({ provider: 'generic', cloneBaseUrl: 'https://git.example.com' })
  const { spec, env, plan } = podOf(runOf(), [
    agentWith({ ...git, vcsRef: { name: 'hub' } }, { ...git, url: 'https://other.example.com/x' }),
    provider({ cli }),
    hub,
    tokenSecret,
  ])
  expect(env.VCS_TOKEN).toEqual({ valueFrom: { secretKeyRef: { name: 't', key: 'token' } } })
  expect(plan).toMatchObject({
    service: { provider: 'generic' },
    skills: [
      { url, isSigned: true },
      { url: 'https://other.example.com/x', isSigned: false },
    ],
  })
  expect(JSON.stringify(spec.containers)).not.toContain('secretKeyRef')
})

test('skills and the repository of a run may need different keys', () => {
  const ssh = {
    ssh: { privateKeySecretRef: { name: 'key', key: 'id' }, hostKeyPolicy: 'AcceptNew' },
  }
  const { spec, inits } = podOf(onHub(), [
    agentWith({ ...git, url: 'ssh://git@git.example.com/team/skills', vcsRef: { name: 'keys' } }),
    provider({ cli }),
    vcp({ auth: ssh }),
    {
      ...vcp({ provider: 'generic', auth: ssh, sshHost: 'git.example.com' }),
      metadata: { name: 'keys', namespace: 'team' },
    },
    keys('Secret', 'key', 'id'),
  ])
  expect(inits.map(({ name }) => name)).toEqual(['checkout', 'skills'])
  const names = (spec.volumes ?? []).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['agents-vcs-ssh', 'agents-skills-ssh']))
})

describe('an address is refused', () => {
  test.each([
    { because: 'it is a file of the node', url: 'file:///etc/skills' },
    { because: 'it is not encrypted', url: 'http://git.example.com/team/skills' },
    { because: 'it reads the metadata of the node', url: 'http://169.254.169.254/latest' },
    { because: 'it is a service of the pod or the machine', url: 'http://127.0.0.1:8080/x' },
    { because: 'it would use a key', url: 'ssh://git@git.example.com/team/skills' },
    { because: 'it contains a password', url: 'https://user:planted@git.example.com/x' },
    { because: 'it contains a user', url: 'https://planted@git.example.com/x' },
    { because: 'it has a query', url: 'https://git.example.com/x?planted=1' },
    { because: 'it is invalid', url: 'https://[planted/x' },
  ])('because $because', ({ url: address }) => {
    const resolution = resolutionOf([agentWith({ ...git, url: address })])
    expect(resolution).toMatchObject({ kind: 'refused', reason: 'InvalidSkill' })
    expect(JSON.stringify(resolution)).toContain('skill notes-0 of Agent coder')
    expect(JSON.stringify(resolution)).not.toContain('planted')
  })

  const vcsRef = { name: 'hub' }
  const hub = { provider: 'generic', cloneBaseUrl: 'https://git.example.com/base' }
  test.each([
    { because: 'another host', url: 'https://evil.example.com/base/team/skills' },
    { because: 'a host that begins the same', url: 'https://git.example.com.evil.test/base/t/s' },
    { because: 'a folder that begins the same', url: 'https://git.example.com/base2/team/skills' },
    { because: 'a way out of the folder', url: 'https://git.example.com/base/../x/y' },
    { because: 'an encoded way out', url: 'https://git.example.com/base/%2e%2e/x' },
    { because: 'another scheme', url: 'http://git.example.com/base/team/skills' },
  ])('because $because is not where the credential may go', ({ url: address }) => {
    const objects = [vcp(hub), tokenSecret, agentWith({ ...git, url: address, vcsRef })]
    expect(resolutionOf(objects)).toMatchObject({ kind: 'refused', reason: 'InvalidSkill' })
  })

  test.each([
    {
      because: 'policy',
      spec: { repositoryPolicy: { deny: ['team/*'] } },
      reason: 'VcsPolicyDenied',
    },
    {
      because: 'capabilities',
      spec: { capabilities: { read: false } },
      reason: 'VcsCapabilityDenied',
    },
  ])('because of the $because of the provider', ({ spec, reason }) => {
    const address = 'https://git.example.com/base/team/skills'
    const objects = [
      vcp({ ...hub, ...spec }),
      tokenSecret,
      agentWith({ ...git, url: address, vcsRef }),
    ]
    expect(resolutionOf(objects)).toMatchObject({ kind: 'refused', reason })
    const fine = [vcp(hub), tokenSecret, agentWith({ ...git, url: address, vcsRef })]
    expect(resolutionOf(fine)).toMatchObject({ kind: 'resolved' })
  })

  test('because the platform allows other repositories of GitHub, or no version control', () => {
    const skills = agentWith({ ...git, url: 'https://github.com/team/skills' })
    const allowed = (JANGAR_GITHUB_REPOS_ALLOWED: string) =>
      resolutionOf([skills], { JANGAR_GITHUB_REPOS_ALLOWED })
    expect(allowed('other/*')).toMatchObject({ kind: 'refused', reason: 'VcsPolicyDenied' })
    expect(allowed('team/*')).toMatchObject({ kind: 'resolved' })
    expect(
      resolutionOf([skills], { JANGAR_AGENTS_CONTROLLER_VCS_PROVIDERS_ENABLED: 'false' }),
    ).toMatchObject({
      kind: 'refused',
      reason: 'VcsCapabilityDenied',
    })
  })
})

test('a run waits for the provider of a skill and for its Secret', () => {
  const skills = agentWith({ ...git, vcsRef: { name: 'hub' } })
  const hub = vcp({ provider: 'generic', cloneBaseUrl: 'https://git.example.com' })
  expect(resolutionOf([skills])).toMatchObject({ kind: 'waiting', reason: 'DependencyMissing' })
  expect(resolutionOf([skills, hub])).toMatchObject({
    kind: 'waiting',
    reason: 'DependencyMissing',
  })
  expect(resolutionOf([skills, hub, tokenSecret])).toMatchObject({ kind: 'resolved' })
})
