import type { Container } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { agent, keys, runOf } from '../resolve/testing/resolution-fixture.ts'
import { build, built, containerOf, envOf, onHub, provider, vcp } from './testing/built.ts'
import type { WorkObjects } from './work-objects.ts'

const token = keys('Secret', 't', 'token')
const tokenRef = { secretKeyRef: { name: 't', key: 'token' } }

function podOf({ job }: WorkObjects) {
  return job.spec.template.spec
}

function named(containers: readonly Container[] = []) {
  return Object.fromEntries(containers.map((container) => [container.name, container]))
}

function envNames({ env = [] }: Container) {
  return env.map(({ name }) => name)
}

function volumesOf({ volumeMounts = [] }: Container) {
  return volumeMounts.map(({ name }) => name)
}

describe('a run in a repository', () => {
  const env = {
    JANGAR_AGENT_PUBLISHER_IMAGE: 'platform:1',
    JANGAR_AGENT_PUBLISHER_ENV: '{"HTTPS_PROXY":"http://proxy.test"}',
  }
  const mine = { name: 'MINE', value: 'tenant' }
  const objects = built(
    onHub({ secrets: ['s'], workload: { image: 'tenant:1' } }),
    [
      vcp({}),
      token,
      keys('Secret', 's', 'API_KEY'),
      agent({ env: [mine, { name: 'HTTPS_PROXY', value: 'http://evil.test' }] }),
      provider({ envTemplate: { GIT_SSL_NO_VERIFY: '1' } }),
    ],
    { env },
  )
  const inits = named(podOf(objects).initContainers)
  const mains = named(podOf(objects).containers)

  test('has the credentials only in checkout and publish', () => {
    expect(Object.keys(inits)).toEqual(['checkout'])
    expect(Object.keys(mains)).toEqual(['agent-runner', 'publish'])
    expect(JSON.stringify(containerOf(objects))).not.toContain('"t"')
    for (const name of ['VCS_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN', 'VCS_USERNAME']) {
      expect(envNames(containerOf(objects))).not.toContain(name)
    }
    for (const one of [inits.checkout, mains.publish]) {
      expect(one?.env).toContainEqual({ name: 'VCS_TOKEN', valueFrom: tokenRef })
    }
  })

  test('passes no tenant settings to the containers with the credentials', () => {
    for (const one of [inits.checkout, mains.publish]) {
      expect(one).toMatchObject({ image: 'platform:1', terminationMessagePolicy: 'File' })
      expect(one).not.toHaveProperty('envFrom')
      expect(one?.env).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://proxy.test' })
      expect(one && envNames(one)).not.toContain('MINE')
      expect(one && envNames(one)).not.toContain('GIT_SSL_NO_VERIFY')
      expect(one && volumesOf(one)).not.toContain('agents-workspace')
    }
  })

  test('isolates them by user, with a read-only root file system', () => {
    const apart = { runAsUser: 65_533, runAsNonRoot: true, readOnlyRootFilesystem: true }
    expect(mains.publish?.securityContext).toMatchObject(apart)
    expect(inits.checkout?.securityContext).toMatchObject(apart)
    expect(podOf(objects).securityContext).toMatchObject({ runAsUser: 65_532 })
    expect(podOf(objects)).not.toHaveProperty('shareProcessNamespace')
    // A run cannot choose the publisher's user, but the platform's setting may assign it to agents.
    const taken = { ...env, JANGAR_AGENT_RUNNER_POD_SECURITY_CONTEXT: '{"runAsUser":65533}' }
    const other = built(onHub({}), [vcp({}), token], { env: taken })
    expect(named(podOf(other).containers).publish?.securityContext?.runAsUser).toBe(65_531)
  })

  test('mounts the fetched repository in the agent’s container, whose log is shown by default', () => {
    expect(containerOf(objects).volumeMounts).toContainEqual({
      name: 'agents-repository',
      mountPath: '/var/run/agents/repository',
      readOnly: true,
    })
    expect(objects.job.spec.template.metadata?.annotations).toMatchObject({
      'kubectl.kubernetes.io/default-container': 'agent-runner',
    })
  })

  test('has no publisher if access is read-only', () => {
    const run = onHub({ vcsPolicy: { mode: 'read-only' } })
    const reading = built(run, [vcp({}), token])
    expect(podOf(reading).containers.map(({ name }) => name)).toEqual(['agent-runner'])
    expect(envOf(reading)).not.toHaveProperty('AGENT_PUBLISH_DIR')
  })

  test('creates the work tree of a bare command without the credentials', () => {
    const bare = built(onHub(), [vcp({}), token, provider({ binary: '/bin/sh' })])
    const made = named(podOf(bare).initContainers)
    expect(Object.keys(made)).toEqual(['checkout', 'work-tree'])
    expect(JSON.stringify(made['work-tree'])).not.toContain('VCS_TOKEN')
    expect(made['work-tree']?.volumeMounts?.map(({ mountPath }) => mountPath)).toContain(
      '/workspace',
    )
    expect(podOf(bare).containers).toHaveLength(1)
  })

  test('mounts SSH key and host keys only there', () => {
    const ssh = {
      privateKeySecretRef: { name: 'k', key: 'id' },
      knownHostsConfigMapRef: { name: 'h' },
    }
    const objects = built(onHub(), [
      vcp({ auth: { ssh } }),
      keys('Secret', 'k', 'id'),
      keys('ConfigMap', 'h', 'known_hosts'),
    ])
    const publish = named(podOf(objects).containers).publish
    expect(publish?.env).toContainEqual({
      name: 'VCS_SSH_KEY_PATH',
      value: '/var/run/secrets/agents/vcs/ssh/id',
    })
    expect(publish && volumesOf(publish)).toContain('agents-vcs-ssh')
    expect(volumesOf(containerOf(objects))).not.toContain('agents-vcs-ssh')
    expect(podOf(objects).volumes).toContainEqual({
      name: 'agents-vcs-ssh',
      secret: { secretName: 'k', items: [{ key: 'id', path: 'id' }], defaultMode: 0o400 },
    })
  })

  test('is refused if the platform has no image for these containers', () => {
    const run = onHub({ workload: { image: 'tenant:1' } })
    const there = [vcp({}), token]
    const none = { JANGAR_AGENT_RUNNER_IMAGE: '', JANGAR_AGENT_IMAGE: '' }
    expect(build(run, there, { env: none })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('JANGAR_AGENT_PUBLISHER_IMAGE'),
    })
  })
})

test('a run without a repository has a single container', () => {
  const pod = podOf(built(runOf()))
  expect(pod.containers).toHaveLength(1)
  expect(pod).not.toHaveProperty('initContainers')
  expect(pod.volumes?.map(({ name }) => name)).toEqual(['agents-workspace', 'agents-spec'])
})
