import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kubeconfigText } from '../../support/testbed/kubeconfig.ts'
import { until } from '../../support/testbed/until.ts'
import { Feed } from './feed.ts'
import { GitStages } from './git-stages.ts'
import { pushNaively } from './naive-push.ts'
import { type OperatorOptions, OperatorProcess } from './operator-process.ts'
import {
  createTarget,
  median,
  ms,
  pause,
  report,
  type Setting,
  timed,
  untilReady,
  withSetting,
} from './setting.ts'
import { pathOf, type Shape } from './shape.ts'

const roundCount = 9
/** Changes offered per second; fewer are reached if something else is the limit. */
const offered = 10_000
const sustainedChanges = 60_000

interface Scene extends Setting {
  readonly objects: number
  readonly shape: Shape
  readonly feed: Feed
  readonly operator: OperatorProcess
}

interface GrowthOptions {
  readonly shape: Shape
  /** Folder of the compile cache. */
  readonly compiled: string
  readonly sustained: boolean
}

/** Measures ConfigMaps of 1 KiB: the first snapshot, one change among them and, if requested, continuous changes. */
export async function measureGrowth(
  objects: number,
  { shape, compiled, sustained }: GrowthOptions,
): Promise<void> {
  await withSetting(async (setting) => {
    const { server, root } = setting
    const { url, caPem, adminToken: token } = server
    const feed = await Feed.start({ url, caPem, token }, objects, shape)
    const kubeconfig = join(root, 'feed.kubeconfig')
    await writeFile(kubeconfig, kubeconfigText({ url: feed.url, caPem, token }), { mode: 0o600 })
    await createTarget(setting, ['configmaps'], shape)
    const options = { kubeconfig, stateDir: join(root, 'state'), compiled }
    const operator = new OperatorProcess(options)
    const scene = { ...setting, objects, shape, feed, operator }
    try {
      await measureSnapshot(scene)
      await measureChange(scene)
      if (sustained) await measureSustained(scene)
      await operator.stop()
      await measureStages(scene, options)
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
  const { objects, shape, operator, repository, root } = scene
  await pause(2_000)
  const times: number[] = []
  const before = operator.cpuSeconds()
  for (let round = 0; round < roundCount; round += 1) {
    times.push(await changeOne(scene, round))
    await pause(50)
  }
  const after = operator.cpuSeconds()
  const each = (a: number, b: number): string => ms(((b - a) * 1000) / roundCount)
  const cpu = `CPU ${each(before.own, after.own)}, git ${each(before.children, after.children)}`
  report(objects, 'one change, from its event to pushed, window 0', `${ms(median(times))} (${cpu})`)
  const naive = await pushNaively(
    repository.directory,
    join(root, 'naive'),
    (index) => pathOf(shape, index),
    objects,
  )
  const ratio = (median(naive) / median(times)).toFixed(1)
  report(objects, 'the same by git add, commit and push', `${ms(median(naive))} (${ratio} x)`)
}

/** Milliseconds until the change is pushed. */
async function changeOne({ repository, feed, objects }: Scene, round: number): Promise<number> {
  const tip = await repository.tip()
  return timed(async () => {
    await feed.change((round * 7919) % objects, `${tip} ${round}`)
    await until(async () => (await repository.tip()) !== tip, undefined, { everyMs: 2 })
  })
}

async function measureSustained({
  repository,
  feed,
  operator,
  objects,
  shape,
}: Scene): Promise<void> {
  const commits = await repository.commits()
  const before = operator.cpuSeconds()
  operator.forgetPeak()
  const last = sustainedChanges - 1
  const time = await timed(async () => {
    await feed.burst(sustainedChanges, offered)
    const path = pathOf(shape, last % objects)
    await until(async () => (await repository.file(path)).includes(`change ${last}`), undefined, {
      everyMs: 50,
    })
  })
  const after = operator.cpuSeconds()
  const rate = Math.round(sustainedChanges / (time / 1000))
  const made = (await repository.commits()) - commits
  report(objects, 'sustained changes, all pushed', `${rate}/s in ${made} commits`)
  const each = (a: number, b: number): string => ms(((b - a) * 1000) / (sustainedChanges / 1000))
  const cpu = `${each(before.own, after.own)}, git ${each(before.children, after.children)}`
  report(objects, 'CPU for 1,000 of them', cpu)
  report(objects, 'peak memory meanwhile', `${Math.round(operator.peakMiB)} MiB`)
}

/** Where the time of a change is spent. Uses a separate process, because tracing takes time. */
async function measureStages(scene: Scene, options: OperatorOptions): Promise<void> {
  const { objects } = scene
  const path = process.env.PATH ?? ''
  const stages = await GitStages.create(join(scene.root, 'stages'), path)
  const operator = new OperatorProcess({ ...options, path: `${stages.directory}:${path}` })
  const rounds = async (from: number): Promise<number> => {
    let total = 0
    for (let round = from; round < from + roundCount; round += 1) {
      total += await changeOne(scene, round)
      await pause(100)
    }
    return total
  }
  try {
    await changeOne(scene, 0)
    await pause(1_000)
    await stages.take()
    const total = await rounds(1)
    const { ownProcesses, allProcesses, clientMs, remoteMs } = await stages.take()
    const each = (value: number): string => ms(value / roundCount)
    const ours = each(total - clientMs - remoteMs)
    const shares = `${ours}, ${each(clientMs)}, ${each(remoteMs)}`
    report(objects, 'of it ours, of git push, of the repository', shares)
    const processes = `${(ownProcesses / roundCount).toFixed(1)}, ${(allProcesses / roundCount).toFixed(1)} with theirs`
    report(objects, 'git processes for one change', processes)
    const bytes = await stages.bytesSent(async () => void (await rounds(1 + roundCount)))
    report(objects, 'bytes sent for one change', String(Math.round(bytes / roundCount)))
  } finally {
    await operator.stop()
  }
}
