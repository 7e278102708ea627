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
} from '@agents/jangar-api'
import {
  bearer,
  JobKind,
  type KubeClient,
  kindRef,
  SecretKind,
  staticCredentials,
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

interface Attack {
  readonly because: string
  readonly spec: Readonly<Record<string, unknown>>
  readonly reason: string
}

function job(config: object) {
  return { runtime: { type: 'job', config } }
}

const withToken = { automountServiceAccountToken: true }

const attacks: readonly Attack[] = [
  {
    because: "the controllers' own account, which no setting names",
    spec: job({ serviceAccount: 'agents-controllers', ...withToken }),
    reason: 'ServiceAccountNotAllowed',
  },
  {
    because: "the control plane's account, which a setting names",
    spec: job({ serviceAccount: 'agents-control-plane' }),
    reason: 'ServiceAccountNotAllowed',
  },
  {
    because: "another tenant's account",
    spec: job({ serviceAccount: 'deployer', ...withToken }),
    reason: 'ServiceAccountNotAllowed',
  },
  {
    because: 'the token of the account default',
    spec: job(withToken),
    reason: 'ServiceAccountNotAllowed',
  },
  {
    because: 'the account by the name that pods give it',
    spec: job({ serviceAccountName: 'agents-controllers' }),
    reason: 'InvalidRuntimeConfig',
  },
  {
    because: 'the account in a workflow',
    spec: {
      runtime: { type: 'workflow', config: { serviceAccount: 'agents-controllers' } },
      workflow: { steps: [{ name: 'one' }] },
    },
    reason: 'ServiceAccountNotAllowed',
  },
  {
    because: "a Secret that holds the controllers' token, as variables",
    spec: { ...job({}), secrets: ['controllers-token'] },
    reason: 'ServiceAccountNotAllowed',
  },
  {
    because: "a Secret that holds the controllers' token, as a volume",
    spec: {
      ...job({}),
      workload: {
        volumes: [{ type: 'secret', name: 'v', mountPath: '/v', secretName: 'controllers-token' }],
      },
    },
    reason: 'ServiceAccountNotAllowed',
  },
  {
    because: "a Secret that holds the controllers' token, as a prompt",
    spec: {
      ...job({}),
      systemPromptRef: { kind: 'Secret', name: 'controllers-token', key: 'token' },
    },
    reason: 'ServiceAccountNotAllowed',
  },
  {
    because: "the Secret of the platform's database",
    spec: { ...job({}), secrets: ['agents-database'] },
    reason: 'SecretBlocked',
  },
  {
    because: 'a priority class that evicts what the node itself needs',
    spec: job({ priorityClassName: 'system-node-critical' }),
    reason: 'PriorityClassNotAllowed',
  },
  {
    because: 'tolerations for every node',
    spec: job({ tolerations: [{ operator: 'Exists' }] }),
    reason: 'InvalidRuntimeConfig',
  },
  {
    because: 'root and no seccomp profile by means of nulls',
    spec: job({
      podSecurityContext: { runAsNonRoot: null, seccompProfile: null, runAsUser: null },
    }),
    reason: 'InvalidRuntimeConfig',
  },
]

/** Attempts of an author of AgentRuns to exceed their own permissions, on a server with real accounts. */
export function identityAttacks(start: StartServer): void {
  let server: RunningServer
  let client: KubeClient
  let own: KubeClient
  let controllers: RunningControllers

  beforeAll(async () => {
    server = await start()
    client = connect(server.connection)
    await installKinds(
      client,
      kinds.filter((kind) => !unreconciledKinds.includes(kind)),
    )
    await createNamespace(client, namespace)
    await createPrincipals(client)
    const { token } = await client.createToken({ namespace, name: 'agents-controllers' })
    const credentials = staticCredentials({ authorization: bearer(token) })
    own = connect({ ...server.connection, namespace, credentials })
    controllers = startControllers({
      client: own,
      config: controllersConfig({
        JANGAR_AGENT_RUNNER_IMAGE: 'local',
        // The most careless configuration that an administrator can choose.
        JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: 'agents-*,team-*',
        JANGAR_AGENTS_CONTROLLER_PRIORITY_CLASSES_ALLOWED: '*',
        JANGAR_AGENTS_CONTROLLER_PLATFORM_SERVICE_ACCOUNTS: 'agents-control-plane',
        JANGAR_AGENTS_CONTROLLER_PLATFORM_SECRETS: 'agents-database',
      }),
      log: silentLogger,
    })
    await controllers.ready
  }, 180_000)

  afterAll(async () => {
    await controllers?.stop()
    own?.close()
    client?.close()
    await server?.stop()
  })

  test.each(attacks)('a run does not get $because', async ({ spec, reason }) => {
    const name = await create(client, spec)
    const accepted = await settled(client, name)
    expect(accepted).toMatchObject({ status: 'False', reason })
    expect(await jobsOf(client, name)).toEqual([])
  })

  test('a run gets an account that the platform allows, with its token', async () => {
    const name = await create(client, job({ serviceAccount: 'team-builder', ...withToken }))
    expect(await settled(client, name)).toMatchObject({ status: 'True' })
    await until(async () => (await jobsOf(client, name)).length === 1)
    const [made] = await jobsOf(client, name)
    expect(made?.spec.template.spec).toMatchObject({
      serviceAccountName: 'team-builder',
      automountServiceAccountToken: true,
    })
  })

  test('a run that names no account gets no token', async () => {
    const name = await create(client, job({}))
    await until(async () => (await jobsOf(client, name)).length === 1)
    const [made] = await jobsOf(client, name)
    expect(made?.spec.template.spec.automountServiceAccountToken).toBe(false)
    expect(made?.spec.template.spec.serviceAccountName ?? 'default').toBe('default')
    const sources = (made?.spec.template.spec.volumes ?? []).flatMap(({ name: _, ...source }) =>
      Object.keys(source),
    )
    expect(sources).not.toContain('projected')
  })
}

let runs = 0

async function create(client: KubeClient, spec: object): Promise<string> {
  runs += 1
  const name = `attack-${runs}`
  await client.create(runKind, {
    metadata: { name, namespace },
    spec: { agentRef: { name: 'shell' }, implementation: { inline: { text: 'Run.' } }, ...spec },
  } as never)
  return name
}

/** The condition once it is decided, either way; missing dependencies are waited for. */
async function settled(client: KubeClient, name: string) {
  const find = async () => {
    const { status } = await client.get(runKind, { namespace, name })
    return status?.conditions?.find(({ type }) => type === 'Accepted')
  }
  await until(async () => {
    const { status, reason = '' } = (await find()) ?? {}
    return status === 'True' || (status === 'False' && !/^(Dependency|NotChecked)/.test(reason))
  })
  return find()
}

async function jobsOf(client: KubeClient, run: string) {
  const { items } = await client.list(JobKind, { namespace })
  return items.filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === run))
}

async function createPrincipals(client: KubeClient): Promise<void> {
  const post = (path: string, body: object) => client.request({ method: 'POST', path, body })
  for (const name of ['agents-controllers', 'agents-control-plane', 'deployer', 'team-builder']) {
    await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name },
    })
  }
  await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'agents-controllers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'agents-controllers', namespace }],
  })
  await client.create(SecretKind, {
    metadata: {
      name: 'controllers-token',
      namespace,
      annotations: { 'kubernetes.io/service-account.name': 'agents-controllers' },
    },
    type: 'kubernetes.io/service-account-token',
    data: { token: Buffer.from('a token').toString('base64') },
  } as never)
  await client.create(SecretKind, {
    metadata: { name: 'agents-database', namespace },
    stringData: { uri: 'postgres://db.test/agents' },
  })
  await client.create(kindRef<AgentProvider>(agentProvider), {
    metadata: { name: 'shell', namespace },
    spec: { binary: '/bin/sh', argsTemplate: ['-c', 'exit 0'] },
  } as never)
  await client.create(kindRef<Agent>(agent), {
    metadata: { name: 'shell', namespace },
    spec: { providerRef: { name: 'shell' } },
  } as never)
}
