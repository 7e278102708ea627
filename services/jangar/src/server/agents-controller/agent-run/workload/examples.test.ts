import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ApiServer, startApiServer } from '@agents/apiserver'
import { customResourceDefinition } from '@agents/crd'
import { type AgentRun, kinds } from '@agents/jangar-api'
import {
  bearer,
  ConfigMapKind,
  CustomResourceDefinitionKind,
  createKubeClient,
  isNotFound,
  JobKind,
  type KubeClient,
  type KubeObject,
  NamespaceKind,
  parseJson,
  type RawRequest,
  staticCredentials,
} from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WorkflowStep } from '../resolve/resolution.ts'
import { resolveWork } from '../resolve/resolve-work.ts'
import { agent, keys, objectOf, portsWith } from '../resolve/testing/resolution-fixture.ts'
import { build, onHub, provider, vcp } from './testing/built.ts'
import { type WorkObjects, workObjects } from './work-objects.ts'

const examples = join(import.meta.dirname, '../../../../../../../charts/agents/examples')
const shown = ['agent', 'agentprovider', 'implementationspec', 'agentrun']
const files = globSync(`{${shown.join(',')}}-*.yaml`, { cwd: examples }).toSorted()

let server: ApiServer
let client: KubeClient
/** The examples as stored by the API server: with all defaults, and ready. */
let there: KubeObject[]

beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger })
  client = createKubeClient({
    server: server.url,
    namespace: 'team',
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  })
  await client.create(NamespaceKind, { metadata: { name: 'team' } })
  const ours = kinds.filter(({ kind }) => shown.includes(kind.toLowerCase()))
  for (const kind of ours) {
    await client.create(CustomResourceDefinitionKind, customResourceDefinition(kind) as never)
  }
  there = await Promise.all(files.map((file) => stored(file)))
})

afterAll(async () => {
  client?.close()
  await server?.stop()
})

async function stored(file: string): Promise<KubeObject> {
  const plural = `${file.slice(0, file.indexOf('-'))}s`
  const { bytes } = await served({
    method: 'POST',
    path: `/apis/agents.proompteng.ai/v1alpha1/namespaces/team/${plural}`,
    contentType: 'application/yaml',
    body: readFileSync(join(examples, file), 'utf8'),
  })
  const object = parseJson(bytes.toString()) as KubeObject
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }]
  const metadata = { ...object.metadata, uid: `uid-of-${object.metadata.name}` }
  return { ...object, metadata, status: { conditions } } as KubeObject
}

/** Retries until a newly defined kind is served. */
async function served(request: RawRequest, tries = 2000): ReturnType<KubeClient['request']> {
  try {
    return await client.request(request)
  } catch (error) {
    if (!isNotFound(error) || tries === 0) throw error
    await delay(20)
    return served(request, tries - 1)
  }
}

/** Dry run: the API server validates the objects without storing them. */
async function tryOut({ configMaps, job }: WorkObjects): Promise<void> {
  const options = { dryRun: true, fieldValidation: 'Strict' } as const
  for (const one of configMaps) await client.create(ConfigMapKind, one, options)
  await client.create(JobKind, job, options)
}

function objectsOf(run: AgentRun, step?: WorkflowStep, index = 1): WorkObjects {
  const ports = portsWith(there)
  const resolution = resolveWork(run, step, ports)
  if (resolution.kind !== 'resolved') throw new Error(resolution.message)
  const of = { run, attempt: 1, ...(step && { step: { name: step.name, index } }) }
  const objects = workObjects(resolution.work, of, ports.config)
  if (objects.kind !== 'objects') throw new Error(objects.message)
  return objects
}

test.each(files.filter((file) => file.startsWith('agentrun-')))(
  'the API server accepts the Jobs of %s',
  async (file) => {
    const run = there[files.indexOf(file)] as AgentRun
    const steps = run.spec.workflow?.steps
    const all = steps?.map((step, at) => objectsOf(run, step, at + 1)) ?? [objectsOf(run)]
    for (const objects of all) await tryOut(objects)
    const manifest = JSON.stringify(all, undefined, 2)
    await expect(`${manifest}\n`).toMatchFileSnapshot(`golden/${file.replace('.yaml', '.snap')}`)
  },
)

test('the API server accepts the Job of a run with every option', async () => {
  const ssh = {
    privateKeySecretRef: { name: 'k', key: 'id' },
    knownHostsConfigMapRef: { name: 'h' },
  }
  const run = onHub({
    secrets: ['s'],
    systemPromptRef: { kind: 'Secret', name: 'p', key: 'k' },
    timeoutSeconds: 60,
    workload: {
      resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } },
      volumes: [
        { type: 'pvc', name: 'data', mountPath: '/data', claimName: 'c', readOnly: true },
        {
          type: 'emptyDir',
          name: 'tmp',
          mountPath: '/scratch',
          sizeLimit: '1Gi',
          medium: 'Memory',
        },
        { type: 'secret', name: 'cert', mountPath: '/cert', secretName: 's' },
      ],
    },
    runtime: {
      type: 'job',
      config: {
        serviceAccount: 'builder',
        nodeSelector: { pool: 'agents' },
        tolerations: [{ key: 'agents', operator: 'Exists' }],
        affinity: { podAntiAffinity: {} },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
        ],
        imagePullSecrets: [{ name: 's' }],
        priorityClassName: 'system-node-critical',
        schedulerName: 'other',
        backoffLimit: 1,
      },
    },
  })
  const objects = build(
    run,
    [
      provider({ inputFiles: [{ path: '/etc/agent/task.md', content: 'x' }], argsTemplate: ['-'] }),
      agent({ env: [{ name: 'LEVEL', value: 'info' }], memoryRef: { name: 'm' } }),
      objectOf('Memory', 'm', {
        type: 'redis',
        connection: { secretRef: { name: 'c', key: 'url' } },
      }),
      vcp({ auth: { ssh } }),
      ...['k:id', 's:A', 'p:k', 'auth:auth.json'].map((one) => {
        const [name = '', key = ''] = one.split(':')
        return keys('Secret', name, key)
      }),
      keys('ConfigMap', 'h', 'known_hosts'),
    ],
    {
      env: {
        JANGAR_AGENTS_CONTROLLER_AUTH_SECRET_NAME: 'auth',
        JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: 'builder',
        // A priority class that exists in every cluster.
        JANGAR_AGENT_RUNNER_PRIORITY_CLASS: 'system-node-critical',
      },
    },
  )
  if (objects.kind !== 'objects') throw new Error(objects.message)
  await client.request({
    method: 'POST',
    path: '/api/v1/namespaces/team/serviceaccounts',
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'builder' } },
  })
  await tryOut(objects)
  // The pod as the Job controller would create it: the schema of pods is stricter than that of Jobs.
  await client.request({
    method: 'POST',
    path: '/api/v1/namespaces/team/pods?dryRun=All&fieldValidation=Strict',
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: objects.job.spec.template.spec,
    },
  })
})
