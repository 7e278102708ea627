/**
 * Measures OrchestrationRuns whose steps do nothing against the same AgentRuns without them: many steps at once, and
 * many in a row. Server, controllers and node are separate processes. Takes minutes.
 */
import { parseArgs } from 'node:util'
import {
  type AgentRun,
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
} from '@agents/jangar-api'
import { createInformers, type KindRef, type KubeClient, kindRef } from '@agents/kube'
import { isFinished } from '@agents/status'
import {
  createRun,
  createRuns,
  limitName,
  namespace,
  type RunPlatform,
  runKind,
  type ServerName,
  startRunPlatform,
  unlimited,
} from '../support/run-platform/run-platform.ts'
import { realClusterAvailable } from '../support/testbed/real-cluster.ts'
import { type Measured, whileMeasured } from './runs/processor-time.ts'

const orchestrations = kindRef<Orchestration>(orchestration)
const orchestrationRuns = kindRef<OrchestrationRun>(orchestrationRun)

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      server: { type: 'string', default: 'embedded,real' },
      parallel: { type: 'string', default: '500' },
      row: { type: 'string', default: '200' },
      concurrency: { type: 'string', default: '24' },
    },
  })
  for (const name of values.server.split(',') as ServerName[]) {
    if (name === 'real' && !(await realClusterAvailable()).available) continue
    console.log(`\n${name} server`)
    await measure(name, 'at once', Number(values.parallel), values.concurrency)
    await measure(name, 'in a row', Number(values.row), values.concurrency)
  }
}

type Order = 'at once' | 'in a row'

async function measure(name: ServerName, order: Order, count: number, concurrency: string) {
  const bare = await onPlatform(name, concurrency, async (platform, pids) =>
    whileMeasured(pids, () => bareRuns(platform.client, order, count)),
  )
  let writes = 0
  const graph = await onPlatform(name, concurrency, async (platform, pids) => {
    await createGraph(platform.client, order, count)
    return whileMeasured(pids, async () => {
      writes = await runGraph(platform.client)
    })
  })
  const overhead = (graph.wallMs / bare.wallMs - 1) * 100
  const cpu = (of: Measured) => (of.times.controllers ?? 0) / count
  console.log(
    [
      `${count} steps ${order}: ${seconds(graph)} s, without a graph ${seconds(bare)} s, overhead ${overhead.toFixed(0)} % (goal ≤ 15)`,
      `  status writes per step ${(writes / count).toFixed(2)} (goal ≤ 2); CPU of the controllers per step ${cpu(graph).toFixed(1)} ms, without a graph ${cpu(bare).toFixed(1)} ms`,
    ].join('\n'),
  )
}

function seconds({ wallMs }: Measured): string {
  return (wallMs / 1000).toFixed(1)
}

async function onPlatform(
  name: ServerName,
  concurrency: string,
  work: (platform: RunPlatform, pids: Readonly<Record<string, number>>) => Promise<Measured>,
): Promise<Measured> {
  const platform = await startRunPlatform(name)
  try {
    const node = await platform.startNode()
    const settings = { ...unlimited, [limitName('CONCURRENCY_CLUSTER')]: concurrency }
    const controllers = await platform.startControllers(settings)
    await createRun(platform.client, 'warm-up')
    await finished(platform.client, runKind, ['warm-up'])
    return await work(platform, { node: node.pid, controllers: controllers.pid })
  } finally {
    await platform.stop()
  }
}

async function bareRuns(client: KubeClient, order: Order, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => `bare-${at}`)
  if (order === 'at once') {
    const all = finished(client, runKind, names)
    await createRuns(client, names)
    await all
    return
  }
  for (const name of names) {
    const one = finished(client, runKind, [name])
    await createRun(client, name)
    await one
  }
}

async function createGraph(client: KubeClient, order: Order, count: number): Promise<void> {
  const steps = Array.from({ length: count }, (_, at) => ({
    ...{ name: `s${at}`, kind: 'AgentRun', agentRef: { name: 'shell' } },
    implementation: { inline: { text: 'Run a script.' } },
    with: { script: 'true' },
    dependsOn: order === 'in a row' && at > 0 ? [`s${at - 1}`] : [],
  }))
  const metadata = { name: 'graph', namespace }
  await client.create(orchestrations, { metadata, spec: { steps } } as never)
}

/** Returns how often the status was written. */
async function runGraph(client: KubeClient): Promise<number> {
  const informers = createInformers(client)
  let writes = 0
  informers.acquire(orchestrationRuns, { namespace }).addHandler({
    onAdd: () => undefined,
    onUpdate: (before, after) => {
      if (before.metadata.resourceVersion !== after.metadata.resourceVersion) writes += 1
    },
  })
  await informers.waitForSync()
  const end = finished(client, orchestrationRuns, ['graph'])
  const spec = { orchestrationRef: { name: 'graph' } }
  await client.create(orchestrationRuns, { metadata: { name: 'graph', namespace }, spec } as never)
  await end
  await informers.stop()
  return writes
}

/** Throws if one of them does not succeed. */
async function finished<T extends AgentRun | OrchestrationRun>(
  client: KubeClient,
  kind: KindRef<T>,
  names: readonly string[],
): Promise<void> {
  const informers = createInformers(client)
  const done = Promise.withResolvers<void>()
  const left = new Set(names)
  const look = ({ metadata, status }: T): void => {
    if (!left.has(metadata.name) || !isFinished(status?.conditions)) return
    if (status?.phase !== 'Succeeded') done.reject(new Error(`${metadata.name} ${status?.phase}`))
    left.delete(metadata.name)
    if (left.size === 0) done.resolve()
  }
  informers.acquire(kind, { namespace }).addHandler({
    onAdd: look,
    onUpdate: (_before, after) => look(after),
  })
  await done.promise
  await informers.stop()
}
