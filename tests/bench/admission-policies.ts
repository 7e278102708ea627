/**
 * Measures what the platform's admission policies cost a write of the embedded API server: its CPU time in a namespace
 * with them and in others that their bindings leave out, in short batches that alternate, so that other load affects
 * all equally. Policies stay installed, because a policy that is created again is compiled again. Finding out that a
 * namespace is left out costs some microseconds, which are not measured.
 *
 * A policy adds an annotation and a finalizer to a run. A larger object costs more in any case: what the policies
 * themselves cost is the difference to a client that sends both.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { PolicyObject } from '@agents/crd'
import { type AgentRun, agentRun, kinds } from '@agents/jangar-api'
import { ConfigMapKind, createKubeClient, JobKind, type KubeClient, kindRef } from '@agents/kube'
import {
  createPolicyObject,
  platformPolicyObjects,
} from '../support/run-platform/admission-policies.ts'
import { startEmbeddedServer } from '../support/testbed/embedded-server.ts'
import { connectionTo, createNamespace, installKinds } from '../support/testbed/server.ts'

const runs = kindRef<AgentRun>(agentRun)
const goalPercent = 15
const warmUp = 12
const container = { name: 'main', image: 'none' }

const status = { subresource: 'status' } as const

/** What the policies add to a run. */
const added = {
  annotations: { 'agents.proompteng.ai/requested-by': 'admin' },
  finalizers: ['agents.proompteng.ai/runtime-cleanup'],
}

interface Place {
  readonly namespace: string
  readonly name: string
}
type Write = (client: KubeClient, place: Place, more: object) => Promise<unknown>

/** What the platform writes for a run, by kind of write. */
const writes: Readonly<Record<string, Write>> = {
  'create an AgentRun': (client, place, more) =>
    client.create(runs, {
      metadata: { ...place, ...more },
      spec: {
        agentRef: { name: 'shell' },
        implementation: { inline: { text: 'Run a script.' } },
        runtime: { type: 'job' },
      },
    } as never),
  'update its status': async (client, place) => {
    const body = { status: { attempts: 1 } }
    await client.patch(runs, place, { type: 'merge', body }, status)
  },
  'create a Job': (client, place) =>
    client.create(JobKind, {
      metadata: place,
      spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
    } as never),
  'create a ConfigMap': (client, place) =>
    client.create(ConfigMapKind, { metadata: place, data: { a: 'b' } }),
}

/**
 * What is compared, each in a namespace of its own: with policies, without them but with runs that are the same as with
 * them, and without.
 */
const subjects = { policed: {}, equal: added, smaller: {} } as const
const exempt: readonly SubjectName[] = ['equal', 'smaller']
type SubjectName = keyof typeof subjects
const names = Object.keys(subjects) as SubjectName[]

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '30' },
      /** Writes of each kind in a round. */
      batch: { type: 'string', default: '400' },
    },
  })
  const [rounds, batch] = [Number(values.rounds), Number(values.batch)]
  const bed = await startBed()
  const batches = new Map(
    Object.keys(writes).map((write): [string, Batches] => [
      write,
      { policed: [], equal: [], smaller: [] },
    ]),
  )
  try {
    // The first rounds measure the compiler as well, which is not done with code that ran some hundred times.
    for (let round = -warmUp; round < rounds; round += 1) {
      for (const [kind, write] of Object.entries(writes)) {
        // The garbage of one batch is collected in the next one: none may always come after the same.
        for (const name of shuffled(names)) {
          const place = { namespace: name, name: `in-${round + warmUp}` }
          const ms = await bed.cpuOf(write, place, batch, subjects[name])
          if (round >= 0) batches.get(kind)?.[name].push(ms / batch)
        }
      }
    }
  } finally {
    await bed.stop()
  }
  report(batches, rounds * batch)
}

/** CPU time of a write in each batch. */
type Batches = Readonly<Record<SubjectName, number[]>>
type Cost = Readonly<Record<SubjectName, number>>

function report(batches: ReadonlyMap<string, Batches>, count: number): void {
  const more = (cost: Cost, than: SubjectName): string =>
    `${((cost.policed / cost[than] - 1) * 100).toFixed(1)} %`
  const line = (name: string, cost: Cost) => {
    const each = (subject: SubjectName): string => cost[subject].toFixed(3)
    console.log(
      `  ${name.padEnd(20)} ${each('policed')} ms CPU with the policies; without them ${each('equal')} ms for the same object (${more(cost, 'equal')} more), ${each('smaller')} ms for what the client sends (${more(cost, 'smaller')} more)`,
    )
  }
  console.log(`${count} writes of each kind, embedded server, medians of batches:`)
  const mean = { policed: 0, equal: 0, smaller: 0 }
  for (const [name, each] of batches) {
    const cost = mapSubjects((subject) => median(each[subject]))
    line(name, cost)
    for (const subject of names) mean[subject] += cost[subject] / batches.size
  }
  line('all', mean)
  console.log(`  goal: ≤ ${goalPercent} % for all, for the same object`)
  if (mean.policed > mean.equal * (1 + goalPercent / 100)) process.exitCode = 1
}

function mapSubjects(of: (subject: SubjectName) => number): Cost {
  return { policed: of('policed'), equal: of('equal'), smaller: of('smaller') }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** One server for all, since two processes of the same program differ more than what is measured. */
async function startBed() {
  const server = await startEmbeddedServer()
  const client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
  await installKinds(client, kinds)
  for (const namespace of names) await createNamespace(client, namespace)
  for (const object of platformPolicyObjects()) await createPolicyObject(client, exempting(object))
  const { pid } = server.program
  return {
    cpuOf: async (write: Write, { namespace, name }: Place, count: number, more: object) => {
      const before = cpuMs(pid)
      const numbers = Array.from({ length: count }, (_, at) => at).values()
      const work = async (): Promise<void> => {
        for (const at of numbers) await write(client, { namespace, name: `${name}-${at}` }, more)
      }
      await Promise.all(Array.from({ length: 4 }, work))
      return cpuMs(pid) - before
    },
    stop: async () => {
      client.close()
      await server.stop()
    },
  }
}

/** The object; a binding leaves out the exempt namespaces. */
function exempting(object: PolicyObject): PolicyObject {
  if (!object.kind.endsWith('Binding')) return object
  const others = {
    key: 'kubernetes.io/metadata.name',
    operator: 'NotIn',
    values: exempt,
  }
  const matchResources = { namespaceSelector: { matchExpressions: [others] } }
  return { ...object, spec: { ...object.spec, matchResources } }
}

/** CPU time of a process with all its threads, which Linux counts in nanoseconds. */
function cpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const ns = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return ns.reduce((sum, each) => sum + each, 0) / 1e6
}
