import { join } from 'node:path'
import { ConfigMapKind, SecretKind } from '@agents/kube'
import { until } from '../../support/testbed/until.ts'
import { OperatorProcess } from './operator-process.ts'
import {
  createTarget,
  ms,
  pause,
  report,
  type Setting,
  targetRevision,
  timed,
  untilReady,
  withSetting,
} from './setting.ts'
import { benchNamespace } from './shape.ts'

const idleMs = 5_000
const filler = 'x'.repeat(1000)

/** On a real server, with one Secret in ten objects: the first snapshot, idling, and a restart. */
export async function measureRestart(objects: number, compiled: string): Promise<void> {
  await withSetting(async (setting) => {
    const { root, server, repository } = setting
    await createObjects(setting, objects)
    await createTarget(setting, ['configmaps', 'secrets'])
    const options = { kubeconfig: server.kubeconfigPath, stateDir: join(root, 'state'), compiled }
    const first = new OperatorProcess(options)
    try {
      const snapshot = await timed(() => untilReady(setting))
      report(objects, 'a tenth of them Secrets: from start to Ready', ms(snapshot))
      report(objects, 'peak memory of the first snapshot', `${Math.round(first.peakMiB)} MiB`)
      await measureIdle(setting, objects, first)
    } finally {
      await first.stop()
    }
    const commits = await repository.commits()
    const second = new OperatorProcess(options)
    try {
      await setting.client.create(ConfigMapKind, configMap('after-restart'))
      const restart = await timed(() => until(async () => (await repository.commits()) > commits))
      report(objects, 'from a restart to the first change pushed', ms(restart))
      const beside = (await repository.commits()) - commits - 1
      report(objects, 'commits of a restart, beside that change', String(beside))
      report(objects, 'peak memory of a restart', `${Math.round(second.peakMiB)} MiB`)
    } finally {
      await second.stop()
    }
  })
}

async function createObjects({ client }: Setting, count: number): Promise<void> {
  let next = 0
  const workers = Array.from({ length: 32 }, async () => {
    while (next < count) {
      const index = next
      next += 1
      const metadata = { name: `c-${index}`, namespace: benchNamespace }
      const stringData = { key: `${index} ${filler}` }
      if (index % 10 === 9) await client.create(SecretKind, { metadata, stringData })
      else await client.create(ConfigMapKind, configMap(metadata.name))
    }
  })
  await Promise.all(workers)
}

function configMap(name: string) {
  return {
    metadata: { name, namespace: benchNamespace },
    data: { key: `${name} ${filler}` },
  }
}

async function measureIdle(setting: Setting, objects: number, operator: OperatorProcess) {
  const { repository } = setting
  await pause(2_000)
  const before = {
    revision: await targetRevision(setting),
    cpu: operator.cpuSeconds(),
    tip: await repository.tip(),
  }
  await pause(idleMs)
  const after = operator.cpuSeconds()
  const seconds = after.own + after.children - before.cpu.own - before.cpu.children
  const isQuiet =
    (await targetRevision(setting)) === before.revision && (await repository.tip()) === before.tip
  const cpu = ((seconds * 1000) / idleMs) * 100
  const written = isQuiet ? 'nothing' : 'SOMETHING'
  report(objects, 'idle', `${cpu.toFixed(1)} % of a core, ${written} written`)
  report(objects, 'memory when idle', `${Math.round(operator.residentMiB())} MiB`)
}
