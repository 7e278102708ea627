import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kubeconfigText } from '../../testbed/kubeconfig.ts'
import { Feed } from './feed.ts'
import { GitProcesses } from './git-processes.ts'
import { pushNaively } from './naive-push.ts'
import { type OperatorOptions, OperatorProcess } from './operator-process.ts'
import {
  createTarget,
  median,
  ms,
  pathOf,
  pause,
  report,
  type Setting,
  timed,
  until,
  untilReady,
  withSetting,
} from './setting.ts'

const ROUNDS = 9
/** Offered each second; what is reached is less where something else is the limit. */
const OFFERED = 10_000
const SUSTAINED = 60_000

interface Scene extends Setting {
  readonly objects: number
  readonly feed: Feed
  readonly operator: OperatorProcess
}

/** ConfigMaps of 1 KiB in one folder: the first snapshot, one change among them, and, if asked for, changes without end. */
export async function measureGrowth(
  objects: number,
  { compiled, sustained }: { readonly compiled: string; readonly sustained: boolean },
): Promise<void> {
  await withSetting(async (setting) => {
    const { server, root } = setting
    const { url, caPem, adminToken: token } = server
    const feed = await Feed.start({ url, caPem, token }, objects)
    const kubeconfig = join(root, 'feed.kubeconfig')
    await writeFile(kubeconfig, kubeconfigText({ url: feed.url, caPem, token }), { mode: 0o600 })
    await createTarget(setting, ['configmaps'])
    const options = { kubeconfig, stateDir: join(root, 'state'), compiled }
    const operator = new OperatorProcess(options)
    const scene = { ...setting, objects, feed, operator }
    try {
      await measureSnapshot(scene)
      await measureChange(scene)
      if (sustained) await measureSustained(scene)
      await operator.stop()
      await countProcesses(scene, options)
    } finally {
      await operator.stop()
      await feed.stop()
    }
  })
}

async function measureSnapshot(scene: Scene): Promise<void> {
  const { objects, operator, repository } = scene
  const snapshot = await timed(() => untilReady(scene))
  const { own, children } = operator.cpuSeconds()
  const cpu = `${own.toFixed(1)} s of CPU, git ${children.toFixed(1)} s`
  report(objects, 'from the start of the process to Ready', `${ms(snapshot)} (${cpu})`)
  report(objects, 'peak memory of the first snapshot', `${Math.round(operator.peakMiB)} MiB`)
  report(objects, 'commits of the first snapshot', String(await repository.commits()))
}

async function measureChange(scene: Scene): Promise<void> {
  const { objects, operator, repository, root } = scene
  await pause(2_000)
  const times: number[] = []
  const before = operator.cpuSeconds()
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(await changeOne(scene, round))
    await pause(50)
  }
  const after = operator.cpuSeconds()
  const each = (a: number, b: number): string => ms(((b - a) * 1000) / ROUNDS)
  const cpu = `CPU ${each(before.own, after.own)}, git ${each(before.children, after.children)}`
  report(objects, 'one change, from its event to pushed, window 0', `${ms(median(times))} (${cpu})`)
  const naive = await pushNaively(repository.directory, join(root, 'naive'), pathOf, objects)
  const ratio = (median(naive) / median(times)).toFixed(1)
  report(objects, 'the same by git add, commit and push', `${ms(median(naive))} (${ratio} x)`)
}

/** Milliseconds until it is pushed. */
async function changeOne({ repository, feed, objects }: Scene, round: number): Promise<number> {
  const tip = await repository.tip()
  return timed(async () => {
    await feed.change((round * 7919) % objects, `${tip} ${round}`)
    await until(async () => (await repository.tip()) !== tip, 2)
  })
}

async function measureSustained({ repository, feed, operator, objects }: Scene): Promise<void> {
  const commits = await repository.commits()
  const before = operator.cpuSeconds()
  operator.forgetPeak()
  const last = SUSTAINED - 1
  const time = await timed(async () => {
    await feed.burst(SUSTAINED, OFFERED)
    const path = pathOf(`c-${last % objects}`)
    await until(async () => (await repository.file(path)).includes(`change ${last}`), 50)
  })
  const after = operator.cpuSeconds()
  const rate = Math.round(SUSTAINED / (time / 1000))
  const made = (await repository.commits()) - commits
  report(objects, 'sustained changes, all pushed', `${rate}/s in ${made} commits`)
  const each = (a: number, b: number): string => ms(((b - a) * 1000) / (SUSTAINED / 1000))
  const cpu = `${each(before.own, after.own)}, git ${each(before.children, after.children)}`
  report(objects, 'CPU for 1,000 of them', cpu)
  report(objects, 'peak memory meanwhile', `${Math.round(operator.peakMiB)} MiB`)
}

/** In a process of its own, for being counted takes time. */
async function countProcesses(scene: Scene, options: OperatorOptions): Promise<void> {
  const path = process.env.PATH ?? ''
  const counted = await GitProcesses.create(join(scene.root, 'counted'), path)
  const operator = new OperatorProcess({ ...options, path: `${counted.directory}:${path}` })
  try {
    await changeOne(scene, 0)
    await pause(1_000)
    await counted.count()
    for (let round = 1; round <= ROUNDS; round += 1) {
      await changeOne(scene, round)
      await pause(100)
    }
    const { own, all } = await counted.count()
    const value = `${(own / ROUNDS).toFixed(1)}, ${(all / ROUNDS).toFixed(1)} with theirs`
    report(scene.objects, 'git processes for one change', value)
  } finally {
    await operator.stop()
  }
}
