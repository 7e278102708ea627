/**
 * Our controller beside a minimal one on controller-runtime, both in processes of their own, doing the same work on the same
 * real server: writing every status once, looking at everything without writing, hearing of new objects, and being idle.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  createKubeClient,
  type KubeClient,
  loadKubeconfig,
  NamespaceKind,
  systemEffects,
} from '@agents/kube'
import { installKinds } from '../status-contract/server.ts'
import { startRealCluster } from '../testbed/real-cluster.ts'
import { ensureGoController } from './controller/go-controller.ts'
import { type Line, type MeasuredProcess, startMeasured } from './controller/measured-process.ts'
import { newWidget, WidgetKind, widget } from './controller/widget.ts'

const namespace = 'bench'

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      objects: { type: 'string', default: '10000' },
      created: { type: 'string', default: '300' },
      idle: { type: 'string', default: '60' },
      /** Both sides take turns, because the machine is not the same from one minute to the next. */
      rounds: { type: 'string', default: '2' },
    },
  })
  const objects = Number(values.objects)
  const go = await ensureGoController(process.env)
  if (go === undefined) console.log('SKIPPED: the side of controller-runtime; there is no Go here')
  const cluster = await startRealCluster({ fsync: false })
  const client = createKubeClient(
    await loadKubeconfig({ paths: [cluster.kubeconfigPath] }, systemEffects({})),
  )
  try {
    const bytes = await fill(client, objects)
    console.log(`${objects} objects of ${bytes} bytes of JSON each, without managedFields`)
    const script = join(import.meta.dirname, 'controller', 'typescript-controller.ts')
    const sides: [string, readonly string[]][] = [
      ['ours', [process.execPath, '--expose-gc', script]],
      ...(go === undefined ? [] : [['controller-runtime', [go]] as [string, string[]]]),
    ]
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      for (const [name, command] of sides) {
        const common = [`--config=${cluster.kubeconfigPath}`, `--writer=${name}-${round}`]
        const flags = [...command, ...common, `--total=${objects}`]
        console.log(`\n${name}, round ${round} of ${values.rounds}`)
        await measureWrites(flags, objects)
        await measureLooks([...flags, '--each'], objects, bytes, client, {
          created: Number(values.created),
          idleSeconds: round === 1 ? Number(values.idle) : 0,
        })
      }
    }
  } finally {
    client.close()
    await cluster.stop()
  }
}

/** Answers with the size of one object once a status is on it. */
async function fill(client: KubeClient, objects: number): Promise<number> {
  await installKinds(client, [widget])
  await client.create(NamespaceKind, { metadata: { name: namespace } })
  let next = 0
  const creator = async (): Promise<void> => {
    while (next < objects) {
      const n = next++
      await client.create(WidgetKind, newWidget(namespace, `widget-${n}`))
    }
  }
  await Promise.all(Array.from({ length: 16 }, creator))
  const { managedFields: _fields, ...metadata } = (
    await client.get(WidgetKind, { namespace, name: 'widget-0' })
  ).metadata
  return JSON.stringify({ ...newWidget(namespace, ''), metadata }).length + sizeOfStatus
}

/** Two conditions, a generation, a time and a writer. */
const sizeOfStatus = 450

async function measureWrites(command: readonly string[], objects: number): Promise<void> {
  const measured = startMeasured(command)
  const all = await measured.line('all')
  const first = await measured.line('first')
  const seconds = (timeOf(all) - timeOf(first)) / 1000
  report('status writes', `${rate(objects, seconds)} (${all.writes} writes, 16 workers)`)
  await measured.stop()
}

async function measureLooks(
  command: readonly string[],
  objects: number,
  bytes: number,
  client: KubeClient,
  { created, idleSeconds }: { created: number; idleSeconds: number },
): Promise<void> {
  const measured = startMeasured(command)
  const all = await measured.line('all')
  const start = await measured.line('start')
  const first = await measured.line('first')
  report('start to first reconcile (synced)', `${Math.round(timeOf(first) - timeOf(start))} ms`)
  const seconds = (timeOf(all) - timeOf(first)) / 1000
  report('reconciles without a write', `${rate(objects, seconds)} (${all.writes} writes)`)
  await reportMemory(measured, objects, bytes)
  report('create sent to first reconcile', describe(await latencies(measured, client, created)))
  await reportIdle(measured, client, idleSeconds)
  await measured.stop()
  // Only ours tells: more than one would be a relist.
  const end = measured.lines.find(({ event }) => event === 'end')
  if (end) report('times that everything was fetched', String(end.replaces))
}

async function reportMemory(
  measured: MeasuredProcess,
  objects: number,
  bytes: number,
): Promise<void> {
  const heaps = () => measured.lines.filter(({ event }) => event === 'memory')
  while (heaps().length < 2) await new Promise((resolve) => setTimeout(resolve, 50))
  const [before, after] = heaps().map(({ heap }) => Number(heap))
  const perObject = Math.round(((after ?? 0) - (before ?? 0)) / objects)
  report(
    'memory per cached object',
    `${perObject} bytes, ${(perObject / bytes).toFixed(2)} × its JSON`,
  )
}

async function latencies(
  measured: MeasuredProcess,
  client: KubeClient,
  created: number,
): Promise<number[]> {
  const sent = new Map<string, number>()
  const stamp = `new-${Date.now()}`
  for (let n = 0; n < created; n += 1) {
    const name = `${stamp}-${n}`
    sent.set(name, performance.timeOrigin + performance.now())
    await client.create(WidgetKind, newWidget(namespace, name))
  }
  const firsts = new Map<string, number>()
  while (firsts.size < created) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    for (const { event, name = '', at = 0 } of measured.lines) {
      if (event === 'reconcile' && sent.has(name) && !firsts.has(name)) firsts.set(name, at)
    }
  }
  for (const name of sent.keys()) await client.delete(WidgetKind, { namespace, name })
  return [...firsts].map(([name, at]) => at - (sent.get(name) ?? Number.NaN))
}

async function reportIdle(
  measured: MeasuredProcess,
  client: KubeClient,
  seconds: number,
): Promise<void> {
  if (seconds === 0) return
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const looks = () => measured.lines.filter(({ event }) => event === 'reconcile').length
  const version = async () =>
    (await client.list(WidgetKind, { namespace })).items
      .map(({ metadata }) => metadata.resourceVersion)
      .join()
  const before = { looks: looks(), version: await version() }
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const wrote =
    (await version()) === before.version ? 'no object was written' : 'OBJECTS WERE WRITTEN'
  report(`idle for ${seconds} s`, `${wrote}, ${looks() - before.looks} reconciles`)
}

const timeOf = ({ at }: Line): number => at ?? Number.NaN

function rate(count: number, seconds: number): string {
  return `${Math.round(count / seconds).toLocaleString('en-US')}/s`
}

function report(what: string, value: string): void {
  console.log(`  ${what.padEnd(36)}${value}`)
}

function describe(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1)
  return `${at(0.5)} ms median, ${at(0.99)} ms 99 %, ${at(1)} ms at most`
}
