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

/**
 * The runs without a graph are made half before and half after those with it, so that a machine whose load changes
 * slows down both.
 */
async function measure(name: ServerName, order: Order, count: number, concurrency: string) {
  if (count === 0) return
  await onPlatform(name, concurrency, async (platform, pids) => {
    const { client } = platform
    await createGraph(client, order, count)
    const half = Math.ceil(count / 2)
    const before = await whileMeasured(pids, () => bareRuns(client, order, 'before', half))
    let writes = 0
    const graph = await whileMeasured(pids, async () => {
      writes = await runGraph(client)
    })
    const after = await whileMeasured(pids, () => bareRuns(client, order, 'after', count - half))
    report(`${count} steps ${order}`, count, { graph, writes, bare: sumOf(before, after) })
  })
}

function report(
  what: string,
  count: number,
  { graph, bare, writes }: Record<'graph' | 'bare', Measured> & { readonly writes: number },
): void {
  const percent = (a: number, b: number) => `${((a / b - 1) * 100).toFixed(0)} %`
  const cpu = ({ times }: Measured, program: string) => (times[program] ?? 0) / count
  const all = ({ times: { bench: _, ...programs } }: Measured) =>
    Object.values(programs).reduce((sum, ms) => sum + ms, 0)
  const [with_, without] = [cpu(graph, 'controllers'), cpu(bare, 'controllers')]
  console.log(
    [
      `${what}: ${seconds(graph)} s, without a graph ${seconds(bare)} s, overhead ${percent(graph.wallMs, bare.wallMs)} (goal ≤ 15)`,
      `  overhead in CPU of server, controllers and node ${percent(all(graph), all(bare))}`,
      `  status writes per step ${(writes / count).toFixed(2)} (goal ≤ 2); CPU of the controllers per step ${with_.toFixed(1)} ms, without a graph ${without.toFixed(1)} ms`,
    ].join('\n'),
  )
}

function sumOf(a: Measured, b: Measured): Measured {
  const times = Object.entries(a.times).map(([name, ms]) => [name, ms + (b.times[name] ?? 0)])
  return { wallMs: a.wallMs + b.wallMs, times: Object.fromEntries(times) }
}

function seconds({ wallMs }: Measured): string {
  return (wallMs / 1000).toFixed(1)
}

async function onPlatform(
  name: ServerName,
  concurrency: string,
  work: (platform: RunPlatform, pids: Readonly<Record<string, number>>) => Promise<void>,
): Promise<void> {
  const platform = await startRunPlatform(name)
  try {
    const node = await platform.startNode()
    const settings = { ...unlimited, [limitName('CONCURRENCY_CLUSTER')]: concurrency }
    const controllers = await platform.startControllers(settings)
    await bareRuns(platform.client, 'at once', 'warm-up', 24)
    await work(platform, { ...platform.pids, node: node.pid, controllers: controllers.pid })
  } finally {
    await platform.stop()
  }
}

async function bareRuns(
  client: KubeClient,
  order: Order,
  prefix: string,
  count: number,
): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => `${prefix}-${at}`)
  const runs = await watchEnds(client, runKind)
  if (order === 'at once') {
    const all = names.map(runs.end)
    await createRuns(client, names)
    await Promise.all(all)
  } else {
    for (const name of names) {
      const end = runs.end(name)
      await createRun(client, name)
      await end
    }
  }
  await runs.stop()
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
  const ends = await watchEnds(client, orchestrationRuns)
  const end = ends.end('graph')
  const spec = { orchestrationRef: { name: 'graph' } }
  await client.create(orchestrationRuns, { metadata: { name: 'graph', namespace }, spec } as never)
  await end
  await ends.stop()
  await informers.stop()
  return writes
}

/** `end` resolves when the run has succeeded, and rejects if it ends otherwise. */
async function watchEnds<T extends AgentRun | OrchestrationRun>(
  client: KubeClient,
  kind: KindRef<T>,
) {
  const informers = createInformers(client)
  const waiting = new Map<string, ReturnType<typeof Promise.withResolvers<void>>>()
  const look = ({ metadata: { name }, status }: T): void => {
    const found = waiting.get(name)
    if (found === undefined || !isFinished(status?.conditions)) return
    waiting.delete(name)
    if (status?.phase === 'Succeeded') found.resolve()
    else found.reject(new Error(`${name} ${status?.phase}`))
  }
  informers.acquire(kind, { namespace }).addHandler({
    onAdd: look,
    onUpdate: (_before, after) => look(after),
  })
  await informers.waitForSync()
  return {
    end: (name: string): Promise<void> => {
      const found = Promise.withResolvers<void>()
      waiting.set(name, found)
      return found.promise
    },
    stop: () => informers.stop(),
  }
}
