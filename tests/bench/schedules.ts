/**
 * Measures what Schedules cost that are not due: CPU time, memory and writes of the shipped controllers while nothing
 * happens. Takes minutes.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Schedule, schedule } from '@agents/jangar-api'
import { EventKind, type KindRef, type KubeClient, kindRef } from '@agents/kube'
import {
  namespace,
  type RunPlatform,
  runKind,
  type ServerName,
  startRunPlatform,
  unlimited,
} from '../support/run-platform/run-platform.ts'
import { realClusterAvailable } from '../support/testbed/real-cluster.ts'
import { createAll, idlePercent, versionsOf } from './runs/idle.ts'
import { startShipped } from './runs/shipped-controllers.ts'
import { mebibytes } from './runs/throughput.ts'

const schedules = kindRef<Schedule>(schedule)
const goalPercent = 1

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      server: { type: 'string', default: 'embedded,real' },
      schedules: { type: 'string', default: '10000' },
      /** Seconds for which nothing happens. */
      idle: { type: 'string', default: '60' },
    },
  })
  for (const name of values.server.split(',') as ServerName[]) {
    const there = name === 'embedded' ? { available: true } : await realClusterAvailable({})
    if (!there.available) {
      console.log('SKIPPED: the real server cannot be run here')
      continue
    }
    console.log(`\n${name} server`)
    const platform = await startRunPlatform(name)
    try {
      await measureIdle(platform, Number(values.schedules), Number(values.idle))
    } finally {
      await platform.stop()
    }
  }
}

async function measureIdle(platform: RunPlatform, count: number, seconds: number): Promise<void> {
  const { client, kubeconfigPath: kubeconfig, stateDir } = platform
  const compiled = join(stateDir, 'compiled')
  const controllers = await startShipped({ kubeconfig, settings: unlimited, compiled })
  try {
    await controllers.rest()
    const base = await idlePercent(controllers, seconds)
    const began = performance.now()
    await createSchedules(client, count)
    while ((await scheduled(client)) < count) await delay(1000)
    const took = ((performance.now() - began) / 1000).toFixed(0)
    // Not until the process rests: it would never do so if idle Schedules were expensive.
    await delay(settleMs)
    const before = await versions(client)
    const percent = await idlePercent(controllers, seconds)
    const isWritten = (await versions(client)) !== before
    const { rss } = await controllers.usage()
    console.log(
      [
        `${count} Schedules, created in ${took} s, idle for ${seconds} s:`,
        `  ${percent.toFixed(2)} % of a core (goal: ≤ ${goalPercent} %), ${base.toFixed(2)} % without any;`,
        `  ${isWritten ? 'OBJECTS WERE WRITTEN' : 'no object was written'}, ${mebibytes(rss)} MiB resident`,
      ].join('\n'),
    )
    if (isWritten || percent > goalPercent) process.exitCode = 1
  } finally {
    await controllers.stop()
  }
}

const settleMs = 15_000

/** Half a year from now and never due here, at many different times. */
async function createSchedules(client: KubeClient, count: number): Promise<void> {
  const month = ((new Date().getUTCMonth() + 6) % 12) + 1
  await createAll(count, (at) => {
    const cron = `${at % 60} ${Math.floor(at / 60) % 24} ${(at % 28) + 1} ${month} *`
    return client.create(schedules, {
      metadata: { name: `idle-${at}`, namespace },
      spec: { cron, template: { kind: 'AgentRun', spec: runSpec } },
    } as never)
  })
}

const runSpec = {
  agentRef: { name: 'shell' },
  implementation: { inline: { text: 'Run a script.' } },
  runtime: { type: 'job' },
}

async function scheduled(client: KubeClient): Promise<number> {
  let known = 0
  for await (const { status } of client.each(schedules, { namespace, limit: 500 })) {
    if (status?.nextRunTime !== undefined) known += 1
  }
  return known
}

/** Of everything that the controllers write for Schedules. */
function versions(client: KubeClient): Promise<string> {
  return versionsOf(client, [schedules, runKind, EventKind] as KindRef[])
}
