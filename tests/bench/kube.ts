/**
 * Compares the client with a bare https agent on the same requests, and measures an informer over 10,000 objects: time
 * to sync and memory. Uses the embedded server; `npm run bench -- kube real` uses a real kube-apiserver.
 */
import { Agent, request } from 'node:https'
import {
  CustomResourceDefinitionKind,
  createInformer,
  createKubeClient,
  type KubeClient,
  type KubeObject,
  kindRef,
  resourcePath,
} from '@agents/kube'
import { type Subject, startSubject } from '../support/kube-client/subject.ts'
import { createNamespace } from '../support/kube-client/widget.ts'
import { runObject } from './kube/run-objects.ts'

const namespace = 'bench'
const objects = 10_000
const inFlight = 16

const runs = kindRef({
  group: 'bench.example.dev',
  version: 'v1',
  plural: 'runs',
  kind: 'Run',
  scope: 'Namespaced',
})

export async function run(args: string[]): Promise<void> {
  const subject = await startSubject(args[0] === 'real' ? 'real' : 'embedded')
  const client = createKubeClient(await subject.connect(), { userAgent: 'bench/1' })
  try {
    console.log(`server: ${subject.name}`)
    await createNamespace(client, namespace)
    await define(client)
    await fill(client)
    await compareRequests(subject, client)
    for (const watchList of [true, false]) await measureSync(subject, watchList)
  } finally {
    client.close()
    await subject.stop()
  }
}

async function define(client: KubeClient): Promise<void> {
  const { group, version, plural, kind } = runs
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open } } }
  await client.create(CustomResourceDefinitionKind, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: version, served: true, storage: true, schema } as never],
    },
  })
  while (!(await client.list(runs, { retries: 0 }).then(Boolean, () => false))) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function fill(client: KubeClient): Promise<void> {
  const seconds = await timed(() =>
    times(objects, async (n) => {
      await client.create(runs, runObject(namespace, n))
    }),
  )
  console.log(`create through the client, ${inFlight} in flight: ${rate(objects, seconds)}`)
}

async function compareRequests(subject: Subject, client: KubeClient): Promise<void> {
  const raw = await rawClient(subject)
  const path = (n: number): string => resourcePath(runs, { namespace, name: `run-${n % objects}` })
  const count = 2_000
  const ways = {
    'raw https': async (n: number) => void JSON.parse(await raw.get(path(n))),
    client: async (n: number) =>
      void (await client.get(runs, { namespace, name: `run-${n % objects}` })),
  }
  // Alternates, so that neither has the warmer server; the best of each counts, because the machine may have other
  // load.
  const best = {
    'raw https': { perSecond: 0, cpu: Number.POSITIVE_INFINITY },
    client: { perSecond: 0, cpu: Number.POSITIVE_INFINITY },
  }
  for (let round = 0; round < 6; round++) {
    for (const [name, way] of Object.entries(ways) as [keyof typeof best, typeof ways.client][]) {
      const begun = process.cpuUsage()
      const seconds = await timed(() => times(count, way))
      const { user, system } = process.cpuUsage(begun)
      best[name].perSecond = Math.max(best[name].perSecond, count / seconds)
      best[name].cpu = Math.min(best[name].cpu, (user + system) / count)
    }
  }
  for (const [name, { perSecond, cpu }] of Object.entries(best)) {
    const each = `${cpu.toFixed(0)} µs of this process each`
    console.log(`get, ${inFlight} in flight, ${name}: ${rate(perSecond, 1)}, ${each}`)
  }
  const ratio = best.client.perSecond / best['raw https'].perSecond
  console.log(`  client / raw https: ${ratio.toFixed(2)}`)
  raw.close()
}

async function measureSync(subject: Subject, watchList: boolean): Promise<void> {
  const { seconds, size, json, reported, heapWith } = await syncOnce(subject, watchList)
  // Memory that is freed with the informer belonged to it; a measurement from before its start would be too noisy.
  const heap = (heapWith - (await settledHeap())) / size
  console.log(`sync of ${size} objects by ${watchList ? 'a watch' : 'pages'}:`)
  console.log(`  ${(seconds * 1000).toFixed(0)} ms`)
  console.log(
    `  ${heap.toFixed(0)} B of heap an object (reported ${reported}), ${json.toFixed(0)} B of JSON: ${(heap / json).toFixed(2)}×`,
  )
}

async function syncOnce(subject: Subject, watchList: boolean) {
  const client = createKubeClient(await subject.connect())
  const informer = createInformer<KubeObject>({ client, kind: runs, namespace, watchList })
  const seconds = await timed(async () => {
    informer.start()
    await informer.waitForSync()
  })
  const { size } = informer.store
  const lengths = informer.store.list().map((object) => JSON.stringify(object).length)
  const json = lengths.reduce((sum, length) => sum + length, 0) / size
  const heapWith = await settledHeap()
  const reported = informer.stats().bytesPerObject
  await informer.stop()
  client.close()
  return { seconds, size, json, reported, heapWith }
}

/** Waits for a stable heap: memory of an earlier measurement is freed only after its connections and promises. */
async function settledHeap(): Promise<number> {
  let last = Number.POSITIVE_INFINITY
  for (let round = 0; round < 30; round++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    globalThis.gc?.()
    const used = process.memoryUsage().heapUsed
    if (round > 8 && used > last * 0.999) return used
    last = used
  }
  return last
}

async function rawClient(subject: Subject) {
  const { server, tls, credentials } = await subject.connect()
  const ca = await tls?.authority?.()
  const own = await credentials?.current()
  const certificate = own?.clientCertificate
  const agent = new Agent({
    keepAlive: true,
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && { cert: certificate.certificate, key: certificate.key }),
  })
  const headers = own?.authorization === undefined ? {} : { authorization: own.authorization }
  return {
    close: () => agent.destroy(),
    get: (path: string) =>
      new Promise<string>((resolve, reject) => {
        const sent = request(`${server}${path}`, { agent, headers }, (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
          })
          response.on('end', () => resolve(text))
        })
        sent.on('error', reject)
        sent.end()
      }),
  }
}

async function times(count: number, action: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await action(next++)
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

async function timed(action: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await action()
  return (performance.now() - start) / 1000
}

function rate(count: number, seconds: number): string {
  return `${Math.round(count / seconds).toLocaleString('en-US')}/s`
}
