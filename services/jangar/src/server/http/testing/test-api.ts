import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { connect, type IncomingHttpStatusHeader } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@agents/controller'
import { customResourceDefinition } from '@agents/crd'
import { kinds } from '@agents/jangar-api'
import {
  bearer,
  type Connection,
  CustomResourceDefinitionKind,
  createInformers,
  createKubeClient,
  type KubeClient,
  NamespaceKind,
  ServiceAccountKind,
  staticCredentials,
} from '@agents/kube'
import { createLogger, type Logger, silentLogger } from '@agents/log'
import { type ServeApiPorts, serveApi } from '../serve-api.ts'

/** What a request sends. */
export interface Sent {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Of HTTP. If omitted, 1. */
  readonly version?: 1 | 2
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all routes.
  readonly json: any
}

/** `startApiServer`, which only tests may import here. */
type StartCluster = (options: { readonly logger: Logger; readonly certDir: string }) => Promise<{
  readonly url: string
  readonly caCertificate: string
  readonly adminToken: string
  stop(): Promise<void>
}>

/** An API in front of an embedded cluster with the platform's kinds, two namespaces and accounts in them. */
export async function startTestApi(start: StartCluster, change: Partial<ServeApiPorts> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'http-api-'))
  const cluster = await start({ logger: silentLogger, certDir: folder })
  const connection: Connection = {
    server: cluster.url,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(cluster.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(cluster.adminToken) }),
  }
  const admin = createKubeClient(connection)
  for (const kind of kinds.filter((each) => /Run$|^(Artifact|Budget|Schedule)$/.test(each.kind))) {
    await admin.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
  }
  for (const name of ['red', 'blue']) {
    await admin.create(NamespaceKind, {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name },
    })
  }
  const files = { certificate: join(folder, 'apiserver.crt'), key: join(folder, 'apiserver.key') }
  const on = { cluster, connection, admin, files }
  const api = await serve(on, change)
  return {
    ...api,
    /** Another API in front of the same cluster, which takes less time than a cluster of its own. */
    beside: (ofOther: Partial<ServeApiPorts> = {}) => serve(on, ofOther),
    stop: async () => {
      await api.stop()
      admin.close()
      await cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface TestCluster {
  readonly cluster: Awaited<ReturnType<StartCluster>>
  readonly connection: Connection
  readonly admin: KubeClient
  readonly files: { readonly certificate: string; readonly key: string }
}

async function serve(
  { cluster, connection, admin, files }: TestCluster,
  change: Partial<ServeApiPorts>,
) {
  const lines: string[] = []
  const log = createLogger({ sink: { write: (line) => lines.push(line) }, level: 'debug' })
  const informers = createInformers(admin)
  const stopping = new AbortController()
  const server = serveApi({
    listen: { host: '127.0.0.1', port: 0, tls: files },
    version: '1.2.3',
    connection,
    client: admin,
    informers,
    namespaces: ['*'],
    readiness: {},
    stopping: stopping.signal,
    log,
    clock: systemClock,
    ...change,
  })
  await server.start()
  const end = new AbortController()
  const running = server.run(end.signal)
  const stopServer = async (): Promise<void> => {
    end.abort()
    await running
  }
  return {
    admin,
    files,
    lines,
    stopping,
    adminToken: cluster.adminToken,
    caCertificate: cluster.caCertificate,
    url: server.url,
    port: server.port,
    ask: (path: string, sent: Sent = {}) => ask(server.port, cluster.caCertificate, path, sent),
    stopServer,
    stop: async () => {
      await stopServer()
      await informers.stop()
    },
  }
}

function ask(port: number, ca: string, path: string, sent: Sent): Promise<Reply> {
  const { method = 'GET', token, headers = {}, body } = sent
  if (sent.version === 2) return askHttp2(port, ca, path, sent)
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        ...{ host: '127.0.0.1', port, path, method, ca, agent: false },
        // Not that of the header, which tests change.
        servername: 'localhost',
        headers: { ...(token !== undefined && { authorization: bearer(token) }), ...headers },
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
    request.end(body)
  })
}

function askHttp2(port: number, ca: string, path: string, sent: Sent): Promise<Reply> {
  const { method = 'GET', token, headers = {}, body } = sent
  const { host, ...others } = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const session = connect(`https://127.0.0.1:${port}`, { ca, servername: 'localhost' })
  return new Promise<Reply>((resolve, reject) => {
    session.on('error', reject)
    const stream = session.request(
      {
        ...{ ':path': path, ':method': method, ':authority': host ?? `127.0.0.1:${port}` },
        ...(token !== undefined && { authorization: bearer(token) }),
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...others,
      },
      { endStream: body === undefined },
    )
    const got: { head?: IncomingHttpHeaders & IncomingHttpStatusHeader } = {}
    const chunks: Buffer[] = []
    stream.on('error', reject)
    stream.on('response', (head) => {
      got.head = head
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('close', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const isJson = got.head?.['content-type']?.startsWith('application/json')
      const json = isJson && text !== '' ? JSON.parse(text) : undefined
      if (got.head === undefined) reject(new Error(`reset with code ${stream.rstCode}`))
      else resolve({ status: got.head[':status'] ?? 0, headers: got.head, text, json })
    })
    if (body !== undefined) stream.end(body)
  }).finally(() => session.close())
}

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/** Creates an account with these rights, and returns a token of it. */
export async function account(
  admin: KubeClient,
  namespace: string,
  name: string,
  rules: readonly Rule[],
  options: { readonly audience?: string; readonly pod?: string } = {},
): Promise<string> {
  const meta = { name, namespace }
  await admin.create(ServiceAccountKind, {
    ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
    metadata: meta,
  })
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  await admin.request({ method: 'POST', path: `${rbac}/roles`, body: { metadata: meta, rules } })
  await admin.request({
    method: 'POST',
    path: `${rbac}/rolebindings`,
    body: {
      metadata: meta,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  })
  return await tokenOf(admin, namespace, name, options)
}

export async function tokenOf(
  admin: KubeClient,
  namespace: string,
  name: string,
  { audience, pod }: { readonly audience?: string; readonly pod?: string } = {},
): Promise<string> {
  const { bytes } = await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        ...(audience !== undefined && { audiences: [audience] }),
        ...(pod !== undefined && { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod } }),
      },
    },
  })
  return JSON.parse(bytes.toString('utf8')).status.token
}
