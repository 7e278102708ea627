/**
 * Compares our controller with a minimal one on controller-runtime, both in separate processes, doing the same work on
 * the same real server: writing every status once, reconciling everything without a write, and idling, one after the
 * other; and observing new objects, both the same ones at the same time, because the server's own share in that varies
 * more than theirs.
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
import { ensureGoProgram } from '../support/testbed/go-program.ts'
import { startRealCluster } from '../support/testbed/real-cluster.ts'
import { installKinds } from '../support/testbed/server.ts'
import { type Line, type MeasuredProcess, startMeasured } from './controller/measured-process.ts'
import { newWidget, WidgetKind, widget } from './controller/widget.ts'

const namespace = 'bench'

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      objects: { type: 'string', default: '10000' },
      created: { type: 'string', default: '600' },
      idle: { type: 'string', default: '60' },
      /** Both sides alternate, because the load of the machine changes from one minute to the next. */
      rounds: { type: 'string', default: '2' },
    },
  })
  const objects = Number(values.objects)
  const go = await ensureGoProgram(join(import.meta.dirname, 'go', 'controller'))
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
    const rounds = Number(values.rounds)
    const written = new Map<string, number[]>()
    const flagsOf = (command: readonly string[], writer: string): string[] => [
      ...command,
      `--config=${cluster.kubeconfigPath}`,
      `--writer=${writer}`,
      `--total=${objects}`,
    ]
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, command] of sides) {
        const flags = flagsOf(command, `${name}-${round}`)
        console.log(`\n${name}, round ${round} of ${rounds}`)
        const perSecond = await measureWrites(flags, objects)
        written.set(name, [...(written.get(name) ?? []), perSecond])
        const idleSeconds = round === 1 ? Number(values.idle) : 0
        await measureLooks([...flags, '--each'], objects, bytes, client, idleSeconds)
      }
    }
    console.log('\nside by side')
    reportRatio('status writes', written)
    const listeners = sides.map(([name, command]): [string, string[]] => [
      name,
      // As written by the last writer, so that neither finds anything to write.
      [...flagsOf(command, `${sides.at(-1)?.[0]}-${rounds}`), '--each'],
    ])
    await measureLatency(listeners, client, Number(values.created))
  } finally {
    client.close()
    await cluster.stop()
  }
}

/** Returns the size of one object once it has a status. */
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

/** Returns the writes per second. */
async function measureWrites(command: readonly string[], objects: number): Promise<number> {
  const measured = startMeasured(command)
  const all = await measured.line('all')
  const first = await measured.line('first')
  const seconds = (timeOf(all) - timeOf(first)) / 1000
  report('status writes', `${rate(objects, seconds)} (${all.writes} writes, 16 workers)`)
  await measured.stop()
  return objects / seconds
}

async function measureLooks(
  command: readonly string[],
  objects: number,
  bytes: number,
  client: KubeClient,
  idleSeconds: number,
): Promise<void> {
  const measured = startMeasured(command)
  const all = await measured.line('all')
  const start = await measured.line('start')
  const first = await measured.line('first')
  report('start to first reconcile (synced)', `${Math.round(timeOf(first) - timeOf(start))} ms`)
  const seconds = (timeOf(all) - timeOf(first)) / 1000
  report('reconciles without a write', `${rate(objects, seconds)} (${all.writes} writes)`)
  await reportMemory(measured, objects, bytes)
  await reportIdle(measured, client, idleSeconds)
  await measured.stop()
  // Only ours reports this: more than one would be a relist.
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

/** All sides observe every object, so that the load of the server and the machine is the same for all. */
async function measureLatency(
  sides: readonly (readonly [string, readonly string[]])[],
  client: KubeClient,
  created: number,
): Promise<void> {
  const listening = new Map(sides.map(([name, command]) => [name, startMeasured(command)]))
  for (const measured of listening.values()) await measured.line('all')
  const sent = await createMany(client, created)
  const medians = new Map<string, number[]>()
  for (const [name, measured] of listening) {
    const times = await latencies(measured, sent)
    report(`create to first reconcile, ${name}`, describe(times))
    medians.set(name, times)
  }
  reportRatio('create to first reconcile, median', medians)
  for (const name of sent.keys()) await client.delete(WidgetKind, { namespace, name })
  for (const measured of listening.values()) await measured.stop()
}

/** When each object was requested, by name. */
async function createMany(client: KubeClient, count: number): Promise<Map<string, number>> {
  const sent = new Map<string, number>()
  const stamp = `new-${Date.now()}`
  for (let n = 0; n < count; n += 1) {
    const name = `${stamp}-${n}`
    sent.set(name, performance.timeOrigin + performance.now())
    await client.create(WidgetKind, newWidget(namespace, name))
  }
  return sent
}

async function latencies(
  measured: MeasuredProcess,
  sent: ReadonlyMap<string, number>,
): Promise<number[]> {
  const firsts = new Map<string, number>()
  while (firsts.size < sent.size) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    for (const { event, name = '', at = 0 } of measured.lines) {
      if (event === 'reconcile' && sent.has(name) && !firsts.has(name)) firsts.set(name, at)
    }
  }
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

function timeOf({ at }: Line): number {
  return at ?? Number.NaN
}

function rate(count: number, seconds: number): string {
  return `${Math.round(count / seconds).toLocaleString('en-US')}/s`
}

function report(what: string, value: string): void {
  console.log(`  ${what.padEnd(36)}${value}`)
}

/** Ours compared with the other side, if there is one, by their medians. */
function reportRatio(what: string, sides: ReadonlyMap<string, readonly number[]>): void {
  const [ours, theirs] = [...sides.values()].map((values) => quantile(values, 0.5))
  if (ours !== undefined && theirs !== undefined) {
    report(`${what}, ours ÷ theirs`, (ours / theirs).toFixed(2))
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
}

function describe(times: readonly number[]): string {
  const at = (share: number) => quantile(times, share).toFixed(1)
  return `${at(0.5)} ms median, ${at(0.99)} ms 99 %, ${at(1)} ms at most`
}
