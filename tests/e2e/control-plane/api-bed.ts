import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@agents/apiserver'
import { systemClock } from '@agents/controller'
import { gitTarget } from '@agents/gittarget-api'
import type { AgentRun } from '@agents/jangar-api'
import { kinds } from '@agents/jangar-api'
import {
  bearer,
  createInformers,
  createKubeClient,
  type KubeClient,
  PodKind,
  SecretKind,
  ServiceAccountKind,
} from '@agents/kube'
import { startPostgres } from '@agents/local-postgres'
import { createLogger, silentLogger } from '@agents/log'
import { archiveRun } from '../../../services/jangar/src/server/archive/archive-run.ts'
import { openReader } from '../../../services/jangar/src/server/archive/open-reader.ts'
import { openAudit } from '../../../services/jangar/src/server/audit/open-audit.ts'
import { openDatabase } from '../../../services/jangar/src/server/db.ts'
import { loopbackOrigins } from '../../../services/jangar/src/server/http/browser-request.ts'
import { serveApi } from '../../../services/jangar/src/server/http/serve-api.ts'
import {
  settleDelivery,
  storeDeliveries,
  takeDeliveries,
} from '../../../services/jangar/src/server/inbox/inbox.ts'
import { openDeliveries } from '../../../services/jangar/src/server/inbox/open-deliveries.ts'
import { migrate } from '../../../services/jangar/src/server/kysely-migrations.ts'
import type { Authority } from '../../support/testbed/authority.ts'
import { kubeconfigText } from '../../support/testbed/kubeconfig.ts'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'
import { connectionTo, createNamespace, installKinds } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'
import { planeStatus } from './plane-status.ts'

export const callers = [
  'anonymous',
  'wrong token',
  'expired',
  'revoked',
  'reader of another namespace',
  'reader',
  "runner's pod",
  'operator',
  'admin',
] as const

export type CallerName = (typeof callers)[number]

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

interface Reply {
  readonly status: number
  readonly text: string
  /** The cookie that was set, without its attributes. */
  readonly cookie: string
  /** By which the audit knows it. */
  readonly request: string
}

interface Sent {
  readonly method?: string
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Leaves as soon as the status is known, since the answer has no end. */
  readonly isEndless?: boolean
}

const groups = [...new Set(kinds.map(({ group }) => group))]
const plurals = kinds.map(({ plural }) => plural)
const readRules: readonly Rule[] = [
  { apiGroups: groups, resources: plurals, verbs: ['get', 'list'] },
]
const operatorRules: readonly Rule[] = [
  { apiGroups: groups, resources: ['*'], verbs: ['*'] },
  { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] },
]
/** All that the control plane itself may do. */
const ownRules: readonly Rule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  {
    apiGroups: ['agents.proompteng.ai', 'orchestration.proompteng.ai', 'tools.proompteng.ai'],
    resources: ['agentruns', 'orchestrationruns', 'toolruns'],
    verbs: ['list', 'watch'],
  },
  // For webhooks.
  {
    apiGroups: ['agents.proompteng.ai'],
    resources: ['implementationsources'],
    verbs: ['list', 'watch'],
  },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
]

export type ApiBed = Awaited<ReturnType<typeof startApiBed>>

/** A cluster with callers of all sorts, and control planes with exactly the rights that they need. */
export async function startApiBed(authority: Authority, { planeCount = 2 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'api-bed-'))
  const cluster = await startCluster(authority, folder)
  const connection = connectionTo(cluster.url, cluster.caPem, cluster.adminToken)
  const admin = createKubeClient(connection)
  await installKinds(admin, [...kinds, gitTarget])
  for (const name of ['red', 'blue']) await createNamespace(admin, name)
  const own = await account(admin, 'red', 'control-plane', ownRules, 'cluster')
  const reader = await account(admin, 'red', 'reader', readRules)
  await account(admin, 'red', 'runner', [])
  const tokens: Record<CallerName, string | undefined> = {
    anonymous: undefined,
    'wrong token': 'wrong',
    expired: expiredCopy(reader, cluster.signingKey),
    revoked: await revokedToken(admin, 'reader'),
    'reader of another namespace': await account(admin, 'blue', 'reader', readRules),
    reader,
    "runner's pod": await podToken(admin, 'runner'),
    operator: await account(admin, 'red', 'operator', operatorRules),
    admin: cluster.adminToken,
  }
  const client = createKubeClient(connectionTo(cluster.url, cluster.caPem, own))
  const archive = await startArchive()
  const lines: string[] = []
  const tls = { certificate: join(folder, 'apiserver.crt'), key: join(folder, 'apiserver.key') }
  const kubeconfig = join(folder, 'kubeconfig')
  const { url, caPem } = cluster
  writeFileSync(kubeconfig, kubeconfigText({ url, caPem, token: own }), { mode: 0o600 })
  const startPlane = async () => {
    const informers = createInformers(client)
    const stopping = new AbortController()
    const server = serveApi({
      listen: { host: '127.0.0.1', port: 0, tls },
      opensAtOnce: true,
      browsers: { origins: loopbackOrigins },
      version: '1.2.3',
      connection: connectionTo(cluster.url, cluster.caPem, own),
      ...{ client, informers, namespaces: ['*'], readiness: {}, clock: systemClock },
      stopping: stopping.signal,
      archive: archive.runs,
      webhooks: { database: undefined, queueSize: 1000, refusedSecrets: [] },
      audit: archive.audit,
      ...{ deliveries: archive.deliveries, status: planeStatus(client, informers) },
      log: createLogger({ sink: { write: (line) => lines.push(line) }, level: 'debug' }),
    })
    await server.start()
    await informers.waitForSync()
    const running = server.run(stopping.signal)
    const stop = async (): Promise<void> => {
      stopping.abort()
      await running
      await informers.stop()
    }
    return { port: server.port, stop }
  }
  const planes = await Promise.all(Array.from({ length: planeCount }, () => startPlane()))
  const ca = readFileSync(join(folder, 'ca.crt'), 'utf8')
  return {
    admin,
    tokens,
    lines,
    archiveRun: archive.keep,
    addDeadDelivery: archive.addDeadDelivery,
    /** From the database, so that reading it is no act. */
    audit: archive.audit,
    /** The token of another user who may read what is in the namespace red. */
    readerToken: (name: string) => account(admin, 'red', name, readRules),
    /** For a control plane in a process of its own, with the same rights, database and certificate. */
    environment: {
      KUBECONFIG: kubeconfig,
      DATABASE_URL: archive.url,
      PGSSLMODE: 'disable',
      JANGAR_API_TLS_CERT_FILE: tls.certificate,
      JANGAR_API_TLS_KEY_FILE: tls.key,
    },
    /** Asks whoever listens there. */
    askPort: (port: number, path: string, sent: Sent = {}) => send(port, ca, path, sent),
    /** Where the first control plane listens. */
    listener: { port: planes[0]?.port ?? 0, ca, caFile: join(folder, 'ca.crt') },
    /** The second control plane is asked with `plane` 1. */
    ask: (path: string, sent: Sent = {}, plane = 0) =>
      send(planes[plane]?.port ?? 0, ca, path, sent),
    stop: async () => {
      for (const plane of planes) await plane.stop()
      await archive.stop()
      client.close()
      admin.close()
      await cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A database with an archive, as the control plane makes it. */
async function startArchive() {
  const directory = mkdtempSync(join(tmpdir(), 'api-bed-database-'))
  const postgres = await startPostgres({ directory, log: silentLogger })
  const config = { url: postgres.url, sslMode: undefined, sslRootCert: undefined }
  const db = await openDatabase(config, silentLogger)
  await migrate(db, silentLogger)
  const reader = await openReader(config, silentLogger)
  const audit = await openAudit(config, silentLogger, systemClock)
  const deliveries = await openDeliveries(config, silentLogger)
  const at = '2026-01-02T03:04:05Z'
  return {
    url: postgres.url,
    runs: reader.runs,
    audit,
    deliveries,
    addDeadDelivery: async (namespace: string, subject: string) => {
      const payload = Buffer.from(subject)
      const digest = createHash('sha256').update(payload).digest()
      const from = { namespace, source: 'issues', provider: 'github', event: 'issues' } as const
      const row = { ...from, sourceUid: randomUUID(), deliveryId: undefined, subject }
      await storeDeliveries(db, [{ ...row, payload, digest }])
      for (const taken of await takeDeliveries(db, 10)) {
        await settleDelivery(db, taken, { kind: 'dead', error: 'the name is taken' })
      }
    },
    /** A run that is no longer in the cluster. */
    keep: async (namespace: string, name: string) => {
      const run = {
        ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
        metadata: {
          namespace,
          name,
          uid: randomUUID(),
          creationTimestamp: at,
          resourceVersion: '1',
        },
        spec: { agentRef: { name: 'writer' }, implementation: { inline: { text: 'x' } } },
        status: { phase: 'Succeeded', finishedAt: at },
      }
      await archiveRun(db, run as unknown as AgentRun, 'AgentRun')
    },
    stop: async () => {
      await reader.close()
      await audit.close()
      await deliveries.close()
      await db.destroy()
      await postgres.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The certificate of the API is always that of an embedded server, whose folder has it as files. */
async function startCluster(authority: Authority, folder: string) {
  const embedded = await startApiServer({ logger: silentLogger, certDir: folder })
  if (authority === 'embedded') {
    const signingKey = readFileSync(join(folder, 'service-account.key'), 'utf8')
    const { url, caCertificate: caPem, adminToken } = embedded
    return { url, caPem, adminToken, signingKey, stop: () => embedded.stop() }
  }
  await embedded.stop()
  const real = await startRealCluster({ fsync: false })
  const signingKey = readFileSync(join(real.dataDir, 'service-account.key'), 'utf8')
  const { url, caPem, adminToken } = real
  return { url, caPem, adminToken, signingKey, stop: () => real.stop() }
}

async function account(
  admin: KubeClient,
  namespace: string,
  name: string,
  rules: readonly Rule[],
  scope: 'namespace' | 'cluster' = 'namespace',
): Promise<string> {
  const isCluster = scope === 'cluster'
  const metadata = isCluster ? { name } : { name, namespace }
  await admin.create(ServiceAccountKind, { metadata: { name, namespace } })
  const rbac = `/apis/rbac.authorization.k8s.io/v1${isCluster ? '' : `/namespaces/${namespace}`}`
  const [roles, kind] = isCluster ? ['clusterrole', 'ClusterRole'] : ['role', 'Role']
  await admin.request({ method: 'POST', path: `${rbac}/${roles}s`, body: { metadata, rules } })
  await admin.request({
    method: 'POST',
    path: `${rbac}/${roles}bindings`,
    body: {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  })
  const user = `system:serviceaccount:${namespace}:${name}`
  const [rule] = rules
  if (rule !== undefined) {
    // The real API server learns of new rights with a delay.
    await until(async () => {
      const { allowed } = await admin.reviewAccess({
        user,
        resourceAttributes: {
          verb: rule.verbs[0] ?? '',
          group: rule.apiGroups[0] ?? '',
          resource: rule.resources[0] ?? '',
          ...(!isCluster && { namespace }),
        },
      })
      return allowed
    })
  }
  return await tokenOf(admin, namespace, name)
}

async function tokenOf(
  admin: KubeClient,
  namespace: string,
  name: string,
  boundObjectRef?: object,
): Promise<string> {
  const { bytes } = await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: boundObjectRef === undefined ? {} : { boundObjectRef },
    },
  })
  return JSON.parse(bytes.toString('utf8')).status.token
}

async function podToken(admin: KubeClient, serviceAccountName: string): Promise<string> {
  await admin.create(PodKind, {
    metadata: { name: 'runner', namespace: 'red' },
    spec: { serviceAccountName, containers: [{ name: 'agent', image: 'none' }] },
  } as never)
  return await tokenOf(admin, 'red', serviceAccountName, {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    name: 'runner',
  })
}

/** A token that was bound to a Secret which is gone. */
async function revokedToken(admin: KubeClient, name: string): Promise<string> {
  const key = { namespace: 'red', name: 'session' }
  await admin.create(SecretKind, { metadata: key } as never)
  const token = await tokenOf(admin, 'red', name, {
    ...{ apiVersion: 'v1', kind: 'Secret' },
    name: key.name,
  })
  await admin.delete(SecretKind, key)
  return token
}

/** The same token, properly signed, that ended an hour ago. */
function expiredCopy(token: string, signingKey: string): string {
  const [head = '', body = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
  const past = Math.floor(Date.now() / 1000) - 3600
  const old = { ...claims, iat: past - 3600, nbf: past - 3600, exp: past }
  const signed = `${head}.${Buffer.from(JSON.stringify(old)).toString('base64url')}`
  const key = createPrivateKey(signingKey)
  const isEc = key.asymmetricKeyType === 'ec'
  const options = isEc ? { key, dsaEncoding: 'ieee-p1363' as const } : key
  return `${signed}.${sign('sha256', Buffer.from(signed), options).toString('base64url')}`
}

function send(port: number, ca: string, path: string, sent: Sent): Promise<Reply> {
  const { method = 'GET', token, headers = {}, body, isEndless = false } = sent
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        ...{ host: '127.0.0.1', port, path, method, ca, agent: false },
        headers: { ...(token !== undefined && { authorization: bearer(token) }), ...headers },
      },
      (response) => {
        const status = response.statusCode ?? 0
        const id = String(response.headers['x-request-id'] ?? '')
        if (isEndless && status === 200) {
          request.destroy()
          resolve({ status, text: '', cookie: '', request: id })
          return
        }
        const chunks: Buffer[] = []
        response.on('error', reject)
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          resolve({
            status,
            request: id,
            text: Buffer.concat(chunks).toString('utf8'),
            cookie: response.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
          })
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}
