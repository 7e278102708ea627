/**
 * Measures what the platform's admission policies cost a write of the embedded API server: its CPU time with and
 * without them, in rounds that alternate, so that other load affects both equally.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type AgentRun, agentRun, kinds } from '@agents/jangar-api'
import { ConfigMapKind, createKubeClient, JobKind, type KubeClient, kindRef } from '@agents/kube'
import { createAdmissionPolicies } from '../support/run-platform/admission-policies.ts'
import { startEmbeddedServer } from '../support/testbed/embedded-server.ts'
import { connectionTo, createNamespace, installKinds } from '../support/testbed/server.ts'

const namespace = 'bench'
const runs = kindRef<AgentRun>(agentRun)
const goalPercent = 15
const container = { name: 'main', image: 'none' }

/** What the platform writes for a run, by kind of write. */
const writes: Readonly<Record<string, (client: KubeClient, name: string) => Promise<unknown>>> = {
  'create an AgentRun': (client, name) =>
    client.create(runs, {
      metadata: { name, namespace },
      spec: {
        agentRef: { name: 'shell' },
        implementation: { inline: { text: 'Run a script.' } },
        runtime: { type: 'job' },
      },
    } as never),
  'update its status': async (client, name) => {
    const body = { status: { attempts: 1 } }
    await client.patch(runs, { namespace, name }, { type: 'merge', body }, status)
  },
  'create a Job': (client, name) =>
    client.create(JobKind, {
      metadata: { name, namespace },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
    } as never),
  'create a ConfigMap': (client, name) =>
    client.create(ConfigMapKind, { metadata: { name, namespace }, data: { a: 'b' } }),
}

const status = { subresource: 'status' } as const

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '8' },
      /** Writes of each kind in a round. */
      batch: { type: 'string', default: '250' },
    },
  })
  const subjects = [await startSubject(false), await startSubject(true)] as const
  const [rounds, batch] = [Number(values.rounds), Number(values.batch)]
  const totals = new Map(Object.keys(writes).map((name) => [name, [0, 0]]))
  try {
    // The first round of a process is not representative.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, write] of Object.entries(writes)) {
        for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const ms = await subjects[at]?.cpuOf(write, round * batch, batch)
          const total = totals.get(name)
          if (round > 0 && total) total[at] = (total[at] ?? 0) + (ms ?? 0)
        }
      }
    }
  } finally {
    for (const subject of subjects) await subject.stop()
  }
  report(totals, rounds * batch)
}

function report(totals: ReadonlyMap<string, readonly number[]>, count: number): void {
  const sums = [0, 0]
  const line = (name: string, without: number, policed: number) => {
    const percent = ((policed / without - 1) * 100).toFixed(1)
    console.log(
      `  ${name.padEnd(20)} ${without.toFixed(3)} → ${policed.toFixed(3)} ms CPU, ${percent} % more`,
    )
  }
  console.log(`${count} writes of each kind, embedded server, without → with the policies:`)
  for (const [name, [without = 0, policed = 0]] of totals) {
    line(name, without / count, policed / count)
    sums[0] = (sums[0] ?? 0) + without
    sums[1] = (sums[1] ?? 0) + policed
  }
  const [without = 0, policed = 0] = sums
  line('all', without / count / totals.size, policed / count / totals.size)
  console.log(`  goal: ≤ ${goalPercent} % for all`)
  if (policed > without * (1 + goalPercent / 100)) process.exitCode = 1
}

async function startSubject(isPoliced: boolean) {
  const server = await startEmbeddedServer()
  const client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
  await installKinds(client, kinds)
  await createNamespace(client, namespace)
  if (isPoliced) await createAdmissionPolicies(client)
  const { pid } = server.program
  return {
    cpuOf: async (
      write: (client: KubeClient, name: string) => Promise<unknown>,
      first: number,
      count: number,
    ) => {
      const before = cpuMs(pid)
      const numbers = Array.from({ length: count }, (_, at) => first + at).values()
      const work = async (): Promise<void> => {
        for (const at of numbers) await write(client, `object-${at}`)
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

const ticksPerSecond = 100

/** CPU time of a process, of the user and of the kernel. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}
