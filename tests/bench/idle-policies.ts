/**
 * Measures what Budgets, Workspaces and Artifacts cost that nobody uses: CPU time, memory and writes of the shipped
 * controllers while nothing happens. Takes minutes.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openStore } from '@agents/artifact-store'
import { artifact, budget, workspace } from '@agents/jangar-api'
import {
  type Condition,
  EventKind,
  type KindRef,
  type KubeClient,
  type KubeObject,
  kindRef,
  PersistentVolumeClaimKind,
} from '@agents/kube'
import {
  namespace,
  type RunPlatform,
  startRunPlatform,
  unlimited,
} from '../support/run-platform/run-platform.ts'
import { createAll, idlePercent, versionsOf } from './runs/idle.ts'
import { startShipped } from './runs/shipped-controllers.ts'
import { mebibytes } from './runs/throughput.ts'

type Checked = KubeObject & { status?: { conditions?: Condition[] } }
const kinds = [budget, workspace, artifact].map((kind) => kindRef<Checked>(kind))
const [budgets, workspaces, artifacts] = kinds as [KindRef, KindRef, KindRef]
/** Of everything that the controllers write for these kinds. */
const written = [...kinds, PersistentVolumeClaimKind, EventKind] as KindRef[]
const content = Buffer.from('kept')
const digest = createHash('sha256').update(content).digest('hex')
const settleMs = 15_000

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      /** Objects of each kind. */
      count: { type: 'string', default: '10000' },
      /** Seconds for which nothing happens. */
      idle: { type: 'string', default: '60' },
    },
  })
  const platform = await startRunPlatform('embedded')
  try {
    await measureIdle(platform, Number(values.count), Number(values.idle))
  } finally {
    await platform.stop()
  }
}

async function measureIdle(platform: RunPlatform, count: number, seconds: number): Promise<void> {
  const { client, kubeconfigPath: kubeconfig, stateDir } = platform
  const folder = join(stateDir, 'artifacts')
  const settings = {
    ...unlimited,
    JANGAR_ARTIFACTS_STORE: 'file',
    JANGAR_ARTIFACTS_FOLDER: folder,
  }
  const compiled = join(stateDir, 'compiled')
  const controllers = await startShipped({ kubeconfig, settings, compiled })
  try {
    await controllers.rest()
    const base = await idlePercent(controllers, seconds)
    const began = performance.now()
    await createObjects(client, count, folder)
    for (const kind of kinds) while ((await readyOf(client, kind)) < count) await delay(1000)
    const took = ((performance.now() - began) / 1000).toFixed(0)
    await delay(settleMs)
    const before = await versionsOf(client, written)
    const percent = await idlePercent(controllers, seconds)
    const isWritten = (await versionsOf(client, written)) !== before
    const { rss } = await controllers.usage()
    console.log(
      [
        `${count} Budgets, Workspaces and Artifacts each, ready in ${took} s, idle for ${seconds} s:`,
        `  ${percent.toFixed(2)} % of a core, ${base.toFixed(2)} % without any;`,
        `  ${isWritten ? 'OBJECTS WERE WRITTEN' : 'no object was written'}, ${mebibytes(rss)} MiB resident`,
      ].join('\n'),
    )
    if (isWritten) process.exitCode = 1
  } finally {
    await controllers.stop()
  }
}

async function createObjects(client: KubeClient, count: number, folder: string): Promise<void> {
  const create = (kind: KindRef, at: number, spec: object, labels: Record<string, string> = {}) =>
    client.create(kind, { metadata: { name: `idle-${at}`, namespace, labels }, spec } as never)
  await createAll(count, (at) =>
    create(budgets, at, {
      scope: { agentRef: { name: `agent-${at}` } },
      limits: { tokens: '1000' },
      window: 'none',
    }),
  )
  await createAll(count, (at) => create(workspaces, at, { size: '1Gi' }))
  await createAll(count, (at) => bind(client, `idle-${at}`))
  const source = { type: 'File', name: 'report', pod: 'p', checksum: `sha256:${digest}` }
  const labels = { 'artifacts.proompteng.ai/content': digest.slice(0, 63) }
  const spec = { source: { ...source, sizeBytes: content.length, contentType: 'text/plain' } }
  await create(artifacts, 0, spec, labels)
  // Not before the first Artifact: content that none refers to is deleted.
  await openStore({ driver: 'file', folder }).put(
    { namespace, digest },
    { sizeBytes: content.length, body: bodyOf(content) },
  )
  await createAll(count - 1, (at) => create(artifacts, at + 1, spec, labels))
}

/** What a provisioner of volumes does. */
async function bind(client: KubeClient, name: string): Promise<void> {
  const key = { namespace, name }
  const isThere = () =>
    client.get(PersistentVolumeClaimKind, key).then(
      () => true,
      () => false,
    )
  while (!(await isThere())) await delay(100)
  const body = { spec: { volumeName: `volume-${name}` } }
  await client.patch(PersistentVolumeClaimKind, key, { type: 'merge', body })
  const status = { status: { phase: 'Bound', capacity: { storage: '1Gi' } } }
  const patch = { type: 'merge', body: status } as const
  await client.patch(PersistentVolumeClaimKind, key, patch, { subresource: 'status' })
}

async function readyOf(client: KubeClient, kind: KindRef): Promise<number> {
  let ready = 0
  for await (const { status } of client.each(kind as KindRef<Checked>, { namespace, limit: 500 })) {
    if (status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True')) ready += 1
  }
  return ready
}

async function* bodyOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
