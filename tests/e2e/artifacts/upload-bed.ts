import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { startApiServer } from '@agents/apiserver'
import type { Content, StoreSettings } from '@agents/artifact-store'
import { type Artifact, agentRun, artifact, kinds } from '@agents/jangar-api'
import {
  createKubeClient,
  JobKind,
  type KubeClient,
  type KubeObject,
  kindRef,
  PodKind,
  ServiceAccountKind,
} from '@agents/kube'
import { silentLogger } from '@agents/log'
import { createUploader } from '../../../services/jangar/src/runner/upload/uploader.ts'
import { type Authority, startAuthority } from '../../support/testbed/authority.ts'
import { connectionTo, createNamespace, installKinds } from '../../support/testbed/server.ts'
import { addressOfGenerated, generatedContent } from './generated-content.ts'

export const namespace = 'kills'

const runKind = kindRef<KubeObject>(agentRun)
const container = { name: 'main', image: 'none' }

export type UploadBed = Awaited<ReturnType<typeof startUploadBed>>

/** A run with a pod on an API server, and a control plane in a process of its own that takes what the pod uploads. */
export async function startUploadBed(authority: Authority, store: StoreSettings) {
  const folder = mkdtempSync(join(tmpdir(), 'agents-upload-bed-'))
  // Only for its certificate.
  const certified = await startApiServer({ logger: silentLogger, certDir: folder })
  await certified.stop()
  const cluster = await startAuthority(authority)
  const { url, caPem, adminToken: token } = cluster
  const admin = createKubeClient(connectionTo(url, caPem, token))
  await installKinds(
    admin,
    kinds.filter(({ kind }) => /Run$|^Artifact$|^Budget$/.test(kind)),
  )
  await createNamespace(admin, namespace)
  const podToken = await startRun(admin)
  writeFileSync(join(folder, 'token'), podToken, { mode: 0o600 })
  const ca = readFileSync(join(folder, 'ca.crt'), 'utf8')
  const settings = { url, caPem, token, folder }
  let plane = await startPlane(settings, store)
  return {
    admin,
    upload: async (seed: string, sizeBytes: number, signal?: AbortSignal) => {
      const { digest } = await addressOfGenerated(namespace, seed, sizeBytes)
      const query = new URLSearchParams({
        ...{ type: 'file', name: seed, sha256: digest, sizeBytes: String(sizeBytes) },
      })
      const target = { port: plane.port, ca, token: podToken, path: `/v1/artifacts?${query}` }
      const status = await put(target, generatedContent(seed, sizeBytes), signal)
      return { digest, status }
    },
    /** Uploads as the runner in the pod does. */
    runnerUpload: () =>
      createUploader({
        url: `https://127.0.0.1:${plane.port}`,
        folder,
        certificateAuthority: ca,
      }),
    rss: () => plane.rss(),
    killPlane: async () => {
      await plane.kill()
      plane = await startPlane(settings, store)
    },
    artifacts: async () => (await admin.list(kindRef<Artifact>(artifact), { namespace })).items,
    stop: async () => {
      await plane.kill()
      admin.close()
      await cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The token of a pod of a run that has the pod's Job in its status. */
async function startRun(admin: KubeClient): Promise<string> {
  await admin.create(ServiceAccountKind, { metadata: { name: 'runner', namespace } })
  const run = await admin.create(runKind, {
    metadata: { name: 'run', namespace },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  } as never)
  const owned = (apiVersion: string, kind: string, { metadata }: KubeObject) => {
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }
    return { name: 'run', namespace, ownerReferences: [owner] }
  }
  const podSpec = { serviceAccountName: 'runner', restartPolicy: 'Never', containers: [container] }
  const job = await admin.create(JobKind, {
    metadata: owned(agentRun.apiVersion, 'AgentRun', run),
    spec: { template: { spec: podSpec } },
  } as never)
  const status = { runtimeRef: { type: 'job', name: 'run', uid: job.metadata.uid } }
  await admin.update(runKind, { ...run, status } as KubeObject, { subresource: 'status' })
  await admin.create(PodKind, { metadata: owned('batch/v1', 'Job', job), spec: podSpec } as never)
  const { bytes } = await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/runner/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: ['agents.proompteng.ai'],
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'run' },
      },
    },
  })
  return JSON.parse(bytes.toString('utf8')).status.token
}

function storeVariables(store: StoreSettings): Record<string, string> {
  const prefix = 'JANGAR_ARTIFACTS'
  const limits = {
    [`${prefix}_MAX_BYTES`]: String(4 * 1024 ** 3),
    [`${prefix}_MAX_RUN_BYTES`]: String(100 * 1024 ** 3),
    [`${prefix}_MAX_PER_RUN`]: '100000',
  }
  if (store.driver === 'file') {
    return { ...limits, [`${prefix}_STORE`]: 'file', [`${prefix}_FOLDER`]: store.folder }
  }
  return {
    ...limits,
    [`${prefix}_STORE`]: 's3',
    [`${prefix}_S3_ENDPOINT`]: store.endpoint,
    [`${prefix}_S3_REGION`]: store.region,
    [`${prefix}_S3_BUCKET`]: store.bucket,
    [`${prefix}_S3_PREFIX`]: store.prefix,
    [`${prefix}_S3_PATH_STYLE`]: String(store.pathStyle),
    [`${prefix}_S3_ACCESS_KEY_ID`]: store.accessKeyId,
    [`${prefix}_S3_SECRET_ACCESS_KEY`]: store.secretAccessKey,
  }
}

async function startPlane(settings: Readonly<Record<string, string>>, store: StoreSettings) {
  const program = join(import.meta.dirname, 'control-plane.ts')
  const given = JSON.stringify({ ...settings, ...storeVariables(store) })
  const child = spawn(process.execPath, [program, given], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  const next = async (name: string): Promise<number> => {
    const [line] = (await once(lines, 'line')) as [string]
    return Number(line.slice(name.length + 1))
  }
  const port = await next('port')
  return {
    port,
    rss: () => {
      const answer = next('rss')
      child.stdin.write('?')
      return answer
    },
    kill: () => killed(child),
  }
}

async function killed(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Resolves to the status, or to 0 if the connection ended before the answer. */
async function put(
  to: { readonly port: number; readonly ca: string; readonly token: string; readonly path: string },
  { sizeBytes, body }: Content,
  signal?: AbortSignal,
): Promise<number> {
  const { port, ca, token, path } = to
  const sent = request({
    ...{ host: '127.0.0.1', port, ca, path, method: 'PUT', agent: false },
    ...(signal && { signal }),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/octet-stream',
      'content-length': sizeBytes,
    },
  })
  const answered = new Promise<number>((resolve) => {
    sent.once('response', (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', () => resolve(0))
    })
    sent.once('error', () => resolve(0))
    sent.once('close', () => resolve(0))
  })
  pipeline(Readable.from(body), sent).catch(() => undefined)
  return await answered
}
