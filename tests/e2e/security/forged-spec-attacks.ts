import { controllersConfig, type RunningControllers, startControllers } from '@agents/jangar'
import {
  type Agent,
  type AgentProvider,
  type AgentRun,
  agent,
  agentProvider,
  agentRun,
  kinds,
  unreconciledKinds,
  type VersionControlProvider,
  versionControlProvider,
} from '@agents/jangar-api'
import {
  type ConfigMap,
  ConfigMapKind,
  type Job,
  JobKind,
  type KubeClient,
  kindRef,
  SecretKind,
  withController,
} from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  connect,
  createNamespace,
  installKinds,
  type RunningServer,
  type StartServer,
} from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'

const namespace = 'agents'
const runKind = kindRef<AgentRun>(agentRun)
const evil = 'https://evil.test'
/** Too large for the annotations of a pod, so that the run gets a ConfigMap. */
const text = `Run ${'.'.repeat(9000)}`

/** A user who may create ConfigMaps creates the one that a run will mount, and names the run as its owner. */
export function forgedSpecAttacks(start: StartServer): void {
  let server: RunningServer
  let client: KubeClient
  let controllers: RunningControllers

  beforeAll(async () => {
    server = await start()
    client = connect({ ...server.connection, namespace })
    await installKinds(
      client,
      kinds.filter((kind) => !unreconciledKinds.includes(kind)),
    )
    await createNamespace(client, namespace)
    controllers = startControllers({
      client,
      config: controllersConfig({ JANGAR_AGENT_RUNNER_IMAGE: 'local' }),
      log: silentLogger,
    })
    await controllers.ready
  }, 180_000)

  afterAll(async () => {
    await controllers?.stop()
    client?.close()
    await server?.stop()
  })

  test('controls neither where the credential is sent nor what the agent runs', async () => {
    // The run waits for its Agent, so that the ConfigMap exists first.
    const run = await client.create(runKind, {
      metadata: { name: 'victim', namespace },
      spec: {
        agentRef: { name: 'coder' },
        implementation: { inline: { text } },
        runtime: { type: 'job' },
        vcsRef: { name: 'hub' },
        parameters: { repository: 'org/name' },
      },
    } as never)
    const vcs = { provider: 'generic', cloneBaseUrl: evil, repository: 'o/r', mode: 'read-only' }
    const forged = {
      metadata: { name: 'victim-spec', namespace },
      data: {
        'repository.json': JSON.stringify({ agentRun: { name: 'victim', namespace }, vcs }),
        'run.json': JSON.stringify({ prompt: evil }),
        'agent-runner.json': JSON.stringify({ provider: evil }),
      },
    }
    await client.create(ConfigMapKind, withController(forged as unknown as ConfigMap, run) as never)
    await createRest(client)
    const job = await jobOf(client)
    const map = await client.get(ConfigMapKind, forged.metadata)
    expect(JSON.stringify(map)).not.toContain(evil)
    expect(map).toMatchObject({ immutable: true })
    expect(JSON.parse(map.data?.['run.json'] ?? '')).toMatchObject({ prompt: text })
    const pod = job.spec.template.spec
    const holders = [...(pod.initContainers ?? []), ...pod.containers].filter(({ env = [] }) =>
      env.some(({ name }) => name === 'VCS_TOKEN'),
    )
    expect(holders.map(({ name }) => name)).toEqual(['checkout', 'publish'])
    for (const { env = [], volumeMounts = [] } of holders) {
      const plan = env.find(({ name }) => name === 'AGENT_REPOSITORY_PLAN')?.value ?? ''
      expect(JSON.parse(plan)).toMatchObject({
        vcs: { provider: 'github', repository: 'org/name' },
      })
      const sources = volumeMounts.map(({ name }) => pod.volumes?.find((one) => one.name === name))
      expect(sources.filter((source) => source?.configMap !== undefined)).toEqual([])
    }
  })
}

async function createRest(client: KubeClient): Promise<void> {
  await client.create(SecretKind, {
    metadata: { name: 'forge', namespace },
    stringData: { token: 'a-token' },
  } as never)
  await client.create(kindRef<VersionControlProvider>(versionControlProvider), {
    metadata: { name: 'hub', namespace },
    spec: { provider: 'github', auth: { token: { secretRef: { name: 'forge' } } } },
  } as never)
  await client.create(kindRef<AgentProvider>(agentProvider), {
    metadata: { name: 'codex', namespace },
    spec: { binary: 'agent-runner', argsTemplate: ['--', 'true'] },
  } as never)
  await client.create(kindRef<Agent>(agent), {
    metadata: { name: 'coder', namespace },
    spec: { providerRef: { name: 'codex' } },
  } as never)
}

async function jobOf(client: KubeClient): Promise<Job> {
  let jobs: Job[] = []
  await until(async () => {
    jobs = (await client.list(JobKind, { namespace })).items
    return jobs.length > 0
  })
  const [job] = jobs
  if (job === undefined) throw new Error('there is no Job')
  return job
}
