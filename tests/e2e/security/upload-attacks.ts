import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@agents/apiserver'
import { systemClock } from '@agents/controller'
import { policyObjects } from '@agents/crd'
import {
  artifactSettings,
  controllersConfig,
  type RunningControllers,
  startControllers,
} from '@agents/jangar'
import {
  type AgentRun,
  admissionPolicies,
  agent,
  agentProvider,
  agentRun,
  artifact,
} from '@agents/jangar-api'
import {
  bearer,
  createInformers,
  type Job,
  JobKind,
  type KindRef,
  type KubeClient,
  KubeError,
  type KubeObject,
  kindRef,
  type Pod,
  PodKind,
  ServiceAccountKind,
} from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveApi } from '../../../services/jangar/src/server/http/serve-api.ts'
import type { Authority } from '../../support/testbed/authority.ts'
import { until } from '../../support/testbed/until.ts'
import { installPolicies, startTenants, type Tenants } from './tenants.ts'

const runs = kindRef<AgentRun>(agentRun)
const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
/** What `edit` of Kubernetes has about Jobs and pods, and Artifacts. */
const workers = [
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['*'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['*'] },
  { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] },
  { apiGroups: ['artifacts.proompteng.ai'], resources: ['artifacts'], verbs: ['*'] },
]
const container = { name: 'main', image: 'none' }
const podSpec = { serviceAccountName: 'runner', restartPolicy: 'Never', containers: [container] }

interface Owner {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string | undefined
}

/** A tenant who may create Jobs and pods wants files of their own to be those of another user's run. */
export function describeUploadAttacks(authority: Authority): void {
  describe(`uploads on the ${authority} API server`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'agents-uploads-'))
    const informers: ReturnType<typeof createInformers>[] = []
    let tenants: Tenants
    let controllers: RunningControllers
    let stopApi: () => Promise<void>
    let port: number
    let namespace: string
    let tenant: KubeClient

    beforeAll(async () => {
      tenants = await startTenants(authority)
      namespace = await tenants.namespace()
      await tenants.user('trusted', { rules: [everything] })
      await tenants.user('attacker', { namespace, rules: workers })
      tenant = tenants.client('attacker')
      const { admin } = tenants
      await admin.create(ServiceAccountKind, { metadata: { name: 'runner', namespace } })
      const create = (kind: KindRef, name: string, spec: object) =>
        admin.create(kind, { metadata: { name, namespace }, spec } as never)
      await create(kindRef(agentProvider), 'shell', { binary: '/bin/sh' })
      await create(kindRef(agent), 'coder', { providerRef: { name: 'shell' } })
      controllers = startControllers({
        client: tenants.client('trusted'),
        config: controllersConfig({
          JANGAR_AGENT_RUNNER_IMAGE: 'local',
          JANGAR_AGENTS_CONTROLLER_NAMESPACES: namespace,
          JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES: namespace,
          JANGAR_SUPPORTING_CONTROLLER_NAMESPACES: namespace,
        }),
        log: silentLogger,
      })
      await controllers.ready
      const api = await startApi()
      port = api.port
      stopApi = api.stop
    }, 300_000)

    afterAll(async () => {
      await stopApi?.()
      await controllers?.stop()
      for (const each of informers) await each.stop()
      await tenants?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    async function startApi() {
      // Only for its certificate.
      const embedded = await startApiServer({ logger: silentLogger, certDir: folder })
      await embedded.stop()
      const client = tenants.client('trusted')
      const own = createInformers(client)
      informers.push(own)
      const stopping = new AbortController()
      const store = join(folder, 'store')
      const server = serveApi({
        listen: {
          ...{ host: '127.0.0.1', port: 0 },
          tls: { certificate: join(folder, 'apiserver.crt'), key: join(folder, 'apiserver.key') },
        },
        version: '1.2.3',
        connection: tenants.connection('trusted'),
        ...{ client, informers: own, namespaces: ['*'], readiness: {}, clock: systemClock },
        artifacts: artifactSettings({
          JANGAR_ARTIFACTS_STORE: 'file',
          JANGAR_ARTIFACTS_FOLDER: store,
        }),
        stopping: stopping.signal,
        log: silentLogger,
      })
      await server.start()
      const running = server.run(stopping.signal)
      const stop = async (): Promise<void> => {
        stopping.abort()
        await running
      }
      return { port: server.port, stop }
    }

    async function startRun(name: string, agentName = 'coder'): Promise<AgentRun> {
      return await tenants.admin.create(runs, {
        metadata: { name, namespace },
        spec: {
          agentRef: { name: agentName },
          implementation: { inline: { text: 'Greet.' } },
          runtime: { type: 'job' },
        },
      } as never)
    }

    /** The Job that the controllers created, once the status of the run has it. */
    async function jobOf(run: string): Promise<Job> {
      let uid: unknown
      await until(async () => {
        const { status } = await tenants.admin.get(runs, { namespace, name: run })
        uid = status?.runtimeRef?.uid
        return uid !== undefined
      }, `${run} has no Job`)
      const { items } = await tenants.admin.list(JobKind, { namespace })
      return items.find(({ metadata }) => metadata.uid === uid) as Job
    }

    function jobObject(name: string, owner?: Owner) {
      const ownerReferences = owner && [{ ...owner, controller: true }]
      return {
        metadata: { name, namespace, ...(ownerReferences && { ownerReferences }) },
        spec: { template: { spec: podSpec } },
      } as never
    }

    function podObject(name: string, owner?: Owner, labels: Record<string, string> = {}) {
      const ownerReferences = owner && [{ ...owner, controller: true }]
      return {
        metadata: { name, namespace, labels, ...(ownerReferences && { ownerReferences }) },
        spec: podSpec,
      } as never
    }

    async function upload(pod: string): Promise<number> {
      const { bytes } = await tenants.admin.request({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/serviceaccounts/runner/token`,
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {
            audiences: ['agents.proompteng.ai'],
            boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod },
          },
        },
      })
      const { token } = JSON.parse(bytes.toString('utf8')).status
      const sha256 = createHash('sha256').update('forged').digest('hex')
      const query = new URLSearchParams({ type: 'file', name: pod, sha256, sizeBytes: '6' })
      return await put(`/v1/artifacts?${query}`, token)
    }

    function put(path: string, token: string): Promise<number> {
      const ca = readFileSync(join(folder, 'ca.crt'), 'utf8')
      const contentType = { 'content-type': 'application/octet-stream' }
      return new Promise((resolve, reject) => {
        const headers = { authorization: bearer(token), ...contentType }
        const sent = httpsRequest(
          { ...{ host: '127.0.0.1', port, path, method: 'PUT', ca, agent: false }, headers },
          (response) => {
            response.resume()
            response.on('end', () => resolve(response.statusCode ?? 0))
          },
        )
        sent.on('error', reject)
        sent.end('forged')
      })
    }

    async function artifactNames(): Promise<string[]> {
      const { items } = await tenants.admin.list(kindRef<KubeObject>(artifact), { namespace })
      return items.map(({ metadata }) => metadata.name)
    }

    test('only the pods of the Job that the run records upload for it', async () => {
      const run = await startRun('recorded')
      const job = await jobOf('recorded')
      await tenants.admin.create(PodKind, podObject('genuine', ownerOf('batch/v1', 'Job', job)))
      expect(await upload('genuine')).toBe(200)
      const before = await artifactNames()
      expect(before).toHaveLength(1)
      // The policies of the platform are not installed yet.
      const owner = ownerOf(agentRun.apiVersion, 'AgentRun', run)
      const forged = await tenant.create(JobKind, jobObject('forged', owner))
      await tenant.create(PodKind, podObject('forged', ownerOf('batch/v1', 'Job', forged)))
      expect([403, 503]).toContain(await upload('forged'))
      // The same UID under a kind of another group.
      await tenant.create(PodKind, podObject('alien', ownerOf('example.com/v1', 'Job', job)))
      expect(await upload('alien')).toBe(403)
      expect(await artifactNames()).toEqual(before)
    })

    describe('with the policies of the platform', () => {
      beforeAll(async () => {
        await installPolicies(
          tenants.admin,
          policyObjects(admissionPolicies, { prefix: 'agents', accounts: ['trusted'] }),
        )
        const run = await startRun('until-in-effect')
        const owner = ownerOf(agentRun.apiVersion, 'AgentRun', run)
        const label = { 'batch.kubernetes.io/controller-uid': 'a' }
        await until(
          async () =>
            (await codeOf(tenant.create(JobKind, jobObject('probe', owner), dry))) === 403 &&
            (await codeOf(tenant.create(PodKind, podObject('probe', undefined, label), dry))) ===
              403,
          'the policies have no effect',
        )
      })

      test('nobody else creates a Job of a run, not even before its own exists', async () => {
        const waiting = await startRun('waiting', 'missing')
        const owner = ownerOf(agentRun.apiVersion, 'AgentRun', waiting)
        // The name of the first attempt, which the controllers would find when they start the run.
        expect(await codeOf(tenant.create(JobKind, jobObject('waiting-job', owner)))).toBe(403)
        const own = await tenant.create(JobKind, jobObject('own'))
        const ownerReferences = [{ ...owner, controller: true }]
        const body = { metadata: { ownerReferences } }
        expect(await codeOf(tenant.patch(JobKind, own.metadata, { type: 'merge', body }))).toBe(403)
      })

      test('nobody else creates an Artifact of a run', async () => {
        const run = await startRun('shown', 'missing')
        const owner = ownerOf(agentRun.apiVersion, 'AgentRun', run)
        const artifacts = kindRef<KubeObject>(artifact)
        const ownerReferences = [{ ...owner, controller: true }]
        const metadata = { name: 'output', namespace }
        const forged = { metadata: { ...metadata, ownerReferences }, spec: {} } as never
        expect(await codeOf(tenant.create(artifacts, forged))).toBe(403)
        await tenant.create(artifacts, { metadata, spec: {} } as never)
        const body = { metadata: { ownerReferences } }
        const moved = tenant.patch(artifacts, metadata, { type: 'merge', body })
        expect(await codeOf(moved)).toBe(403)
      })

      test('nobody else creates a pod of a Job, or has one adopted', async () => {
        await startRun('running')
        const job = await jobOf('running')
        const owner = ownerOf('batch/v1', 'Job', job)
        const { uid = '' } = job.metadata
        const labelled = [
          { 'batch.kubernetes.io/controller-uid': uid },
          { 'controller-uid': uid },
        ] as const
        expect(await codeOf(tenant.create(PodKind, podObject('owned', owner)))).toBe(403)
        for (const labels of labelled) {
          const pod = podObject('adopted', undefined, labels as never)
          expect(await codeOf(tenant.create(PodKind, pod))).toBe(403)
        }
        const own = (await tenant.create(PodKind, podObject('own'))) as Pod
        const ownerReferences = [{ ...owner, controller: true }]
        for (const metadata of [{ ownerReferences }, ...labelled.map((labels) => ({ labels }))]) {
          const patch = { type: 'merge', body: { metadata } } as const
          expect(await codeOf(tenant.patch(PodKind, own.metadata, patch))).toBe(403)
        }
        const harmless = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const
        expect(await codeOf(tenant.patch(PodKind, own.metadata, harmless))).toBe(200)
      })

      test('runs still get their Jobs, and these their pods', async () => {
        await startRun('after')
        const job = await jobOf('after')
        await tenants.admin.create(PodKind, podObject('after', ownerOf('batch/v1', 'Job', job)))
        expect(await upload('after')).toBe(200)
        const relabelled = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const
        const key = { namespace, name: 'after' }
        expect(await codeOf(tenant.patch(PodKind, key, relabelled))).toBe(200)
      })
    })
  })
}

const dry = { dryRun: true }

function ownerOf(apiVersion: string, kind: string, { metadata }: KubeObject): Owner {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid }
}

async function codeOf(call: Promise<unknown>): Promise<number> {
  try {
    await call
    return 200
  } catch (error) {
    if (error instanceof KubeError) return error.code
    throw error
  }
}
