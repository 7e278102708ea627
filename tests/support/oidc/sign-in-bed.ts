import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@agents/apiserver'
import { listAt } from '@agents/chart-tools'
import { systemClock } from '@agents/controller'
import { kinds } from '@agents/jangar-api'
import {
  createInformers,
  createKubeClient,
  type KubeClient,
  ServiceAccountKind,
} from '@agents/kube'
import { startPostgres } from '@agents/local-postgres'
import { createLogger, silentLogger } from '@agents/log'
import { openAudit } from '../../../services/jangar/src/server/audit/open-audit.ts'
import { openDatabase } from '../../../services/jangar/src/server/db.ts'
import { serveApi } from '../../../services/jangar/src/server/http/serve-api.ts'
import { migrate } from '../../../services/jangar/src/server/kysely-migrations.ts'
import { render } from '../chart/render.ts'
import { type AuditLog, auditLog } from '../testbed/audit-log.ts'
import type { Authority } from '../testbed/authority.ts'
import { freePort } from '../testbed/free-port.ts'
import { startRealCluster } from '../testbed/real-cluster.ts'
import { connectionTo, createNamespace, installKinds } from '../testbed/server.ts'
import { until } from '../testbed/until.ts'
import { type Account, startOpenIdServer } from './open-id-server.ts'

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
  readonly body?: unknown
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all routes.
  readonly json: any
}

export const clientSecret = 'the-secret-of-the-client-0123456789abcdef'

const accounts: Readonly<Record<string, Account>> = {
  operator: { groups: ['operators', 'choir'], email: 'operator@example.com', email_verified: true },
  reader: { groups: ['readers'] },
  stranger: {},
  master: { groups: ['readers', 'system:masters'] },
  'system:admin': {},
  unlisted: { groups: 'operators' },
  odd: { groups: [{ name: 'operators' }] },
}

/** What the control plane may do itself with every API of the chart. */
const ownRules = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  {
    apiGroups: ['agents.proompteng.ai', 'orchestration.proompteng.ai', 'tools.proompteng.ai'],
    resources: ['agentruns', 'orchestrationruns', 'toolruns'],
    verbs: ['list', 'watch'],
  },
]
const groups = ['oidc:operators', 'oidc:readers']
const agents = { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns', 'agents'] }

export type SignInBed = Awaited<ReturnType<typeof startSignInBed>>

/** A cluster, two control planes with one database, and an OpenID provider. */
export async function startSignInBed(authority: Authority, consoleDir?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sign-in-bed-'))
  const { audit, ...cluster } = await startCluster(authority, folder)
  const admin = createKubeClient(connectionTo(cluster.url, cluster.caPem, cluster.adminToken))
  await installKinds(admin, kinds)
  for (const name of ['red', 'blue']) await createNamespace(admin, name)
  const own = await controlPlaneAccount(admin)
  await grant(admin, 'operators', 'oidc:operators', [{ ...agents, verbs: ['*'] }])
  await grant(admin, 'readers', 'oidc:readers', [{ ...agents, verbs: ['get', 'list'] }])
  const files = { certificate: join(folder, 'apiserver.crt'), key: join(folder, 'apiserver.key') }
  const ca = readFileSync(join(folder, 'ca.crt'), 'utf8')
  const ports = [await freePort(), await freePort(), await freePort()] as const
  const publicUrl = `https://127.0.0.1:${ports[0]}`
  const provider = await startOpenIdServer({
    port: ports[2],
    tls: { cert: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') },
    accounts,
    client: {
      ...{ id: 'console', secret: clientSecret },
      ...{ redirectUri: `${publicUrl}/signed-in`, leftUri: `${publicUrl}/` },
    },
  })
  const directory = join(folder, 'database')
  const postgres = await startPostgres({ directory, log: silentLogger })
  const database = { url: postgres.url, sslMode: undefined, sslRootCert: undefined }
  const db = await openDatabase(database, silentLogger)
  await migrate(db, silentLogger)
  const acts = await openAudit(database, silentLogger, systemClock)
  const lines: string[] = []
  const client = createKubeClient(connectionTo(cluster.url, cluster.caPem, own))
  const startPlane = async (port: number) => {
    const informers = createInformers(client)
    const stopping = new AbortController()
    const server = serveApi({
      listen: { host: '127.0.0.1', port, tls: files },
      opensAtOnce: true,
      version: '1.2.3',
      connection: connectionTo(cluster.url, cluster.caPem, own),
      ...{ client, informers, namespaces: ['*'], readiness: {}, clock: systemClock, consoleDir },
      stopping: stopping.signal,
      audit: acts,
      signIn: {
        database: db,
        provider: {
          ...{ issuerUrl: provider.issuer, clientId: 'console', clientSecret, publicUrl },
          ...{ scopes: [], caFile: join(folder, 'ca.crt'), usernameClaim: 'sub' },
          ...{ usernamePrefix: 'oidc:', groupsClaim: 'groups', groupsPrefix: 'oidc:' },
          groups,
        },
      },
      log: createLogger({ sink: { write: (line) => lines.push(line) }, level: 'debug' }),
    })
    await server.start()
    await informers.waitForSync()
    const running = server.run(stopping.signal)
    return async (): Promise<void> => {
      stopping.abort()
      await running
      await informers.stop()
    }
  }
  const planes = [await startPlane(ports[0]), await startPlane(ports[1])]
  return {
    ...{ admin, adminToken: cluster.adminToken, provider, publicUrl, ca, lines, db, audit },
    caFile: join(folder, 'ca.crt'),
    /** Asks a control plane as the browser or proxy does, which knows it by one name. */
    ask: (path: string, sent: Sent = {}, plane: 0 | 1 = 0): Promise<Reply> =>
      ask(ports[plane], ca, path, {
        ...sent,
        headers: { host: new URL(publicUrl).host, ...sent.headers },
      }),
    stop: async () => {
      for (const stop of planes) await stop()
      await acts.close()
      await db.destroy()
      await postgres.stop()
      await provider.stop().catch(() => undefined)
      client.close()
      admin.close()
      await cluster.stop()
      await audit?.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The certificate of API and provider is always that of an embedded server, whose folder has it as files. */
async function startCluster(authority: Authority, folder: string) {
  const embedded = await startApiServer({ logger: silentLogger, certDir: folder })
  if (authority === 'embedded') {
    const { url, caCertificate: caPem, adminToken } = embedded
    return { url, caPem, adminToken, audit: undefined, stop: () => embedded.stop() }
  }
  await embedded.stop()
  const audit: AuditLog = await auditLog()
  const real = await startRealCluster({ fsync: false, apiServerFlags: audit.apiServerFlags })
  const { url, caPem, adminToken } = real
  return { url, caPem, adminToken, audit, stop: () => real.stop() }
}

const rbac = '/apis/rbac.authorization.k8s.io/v1'

async function controlPlaneAccount(admin: KubeClient): Promise<string> {
  const metadata = { name: 'control-plane' }
  const account = { name: 'control-plane', namespace: 'red' }
  await admin.create(ServiceAccountKind, { metadata: account })
  const rules = [...ownRules, ...(await impersonationRules())]
  await admin.request({ method: 'POST', path: `${rbac}/clusterroles`, body: { metadata, rules } })
  await admin.request({
    method: 'POST',
    path: `${rbac}/clusterrolebindings`,
    body: {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', ...metadata },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  })
  await until(async () => {
    const { allowed } = await admin.reviewAccess({
      user: 'system:serviceaccount:red:control-plane',
      resourceAttributes: { verb: 'impersonate', group: '', resource: 'users', name: 'oidc:x' },
    })
    return allowed
  })
  const { bytes } = await admin.request({
    method: 'POST',
    path: '/api/v1/namespaces/red/serviceaccounts/control-plane/token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  })
  return JSON.parse(bytes.toString('utf8')).status.token
}

/** As the chart grants it: a group that is not listed cannot be impersonated. */
async function impersonationRules(): Promise<readonly unknown[]> {
  const { objects, errors } = await render({
    database: { secretRef: { name: 'database' } },
    api: {
      ...{ enabled: true, tlsSecret: { name: 'tls' } },
      oidc: {
        ...{ issuerUrl: 'https://accounts.example.com', publicUrl: 'https://agents.example.com' },
        ...{ clientId: 'console', clientSecret: { name: 'client' }, groups },
      },
    },
  })
  const role = objects.find(
    ({ kind, metadata }) => kind === 'ClusterRole' && metadata.name.endsWith('-impersonation'),
  )
  if (role === undefined) throw new Error(`the chart grants no impersonation: ${errors}`)
  return listAt(role, 'rules')
}

/** Rights of a group in the namespace red. */
async function grant(
  admin: KubeClient,
  name: string,
  subject: string,
  rules: readonly object[],
): Promise<void> {
  const path = `${rbac}/namespaces/red`
  const metadata = { name, namespace: 'red' }
  await admin.request({ method: 'POST', path: `${path}/roles`, body: { metadata, rules } })
  await admin.request({
    method: 'POST',
    path: `${path}/rolebindings`,
    body: {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: subject }],
    },
  })
  await until(async () => {
    const { allowed } = await admin.reviewAccess({
      ...{ user: 'anybody', groups: [subject] },
      resourceAttributes: {
        ...{ verb: 'list', group: 'agents.proompteng.ai', resource: 'agentruns', namespace: 'red' },
      },
    })
    return allowed
  })
}

function ask(port: number, ca: string, path: string, sent: Sent): Promise<Reply> {
  const { method = 'GET', headers = {}, token, body } = sent
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        ...{ host: '127.0.0.1', port, path, method, ca, agent: false, servername: 'localhost' },
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('error', reject)
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const isJson = response.headers['content-type']?.startsWith('application/json')
          const json = isJson && text !== '' ? JSON.parse(text) : undefined
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json })
        })
      },
    )
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
