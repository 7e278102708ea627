import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OperatorChild } from '../../support/gittarget/operator-child.ts'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'

const MiB = 1024 * 1024

/**
 * An operator without any target has 150 MiB; the files of the repository have more than 230 MiB. The gate does not
 * measure: its operator ends if the files are too much for its heap.
 */
const maxResidentMiB = 400

let bed: TestBed
let operator: OperatorChild
beforeAll(async () => {
  bed = await TestBed.start()
  const kubeconfig = join(bed.stateDir, 'kubeconfig')
  await writeFile(kubeconfig, bed.kubeconfig())
  // As in the pod of the chart, where V8 uses half of the memory limit.
  const options = { NODE_OPTIONS: '--max-heap-size=256' }
  operator = await OperatorChild.start(kubeconfig, join(bed.stateDir, 'operator'), options)
})
afterAll(async () => {
  await operator?.end('SIGTERM')
  await bed?.stop()
})

/** The highest memory use so far. Throws if the operator has ended, such as for lack of memory. */
async function peakMiB(): Promise<number> {
  const status = await readFile(`/proc/${operator.pid}/status`, 'utf8').catch(() => '')
  const [, peak] = /VmHWM:\s+(\d+) kB/.exec(status) ?? []
  if (peak === undefined) throw new Error(`the operator has ended: ${operator.log.slice(-2000)}`)
  return Number(peak) / 1024
}

function manifest(namespace: string, name: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\n`
}

/** Each text has a first line of its own, so that equal ones are different blobs. */
function padded(bytes: number, index: number, text = ''): string {
  const line = `# ${'comment '.repeat(127)}\n`
  return `# ${index}\n${line.repeat(Math.ceil(bytes / line.length))}${text}`
}

/** Commits files of the same name with another number. */
async function commit(
  { remote }: Team,
  path: string,
  count: number,
  textOf: (index: number) => string,
): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index)
  const files = indexes.map((index) => [path.replace('0', String(index)), textOf(index)])
  await remote.commit('main', Object.fromEntries(files))
}

async function isMirrored(team: Team, name: string): Promise<boolean> {
  await peakMiB()
  return team.remote.git('cat-file', '-e', `main:${team.path('configmaps', name)}`).then(
    () => true,
    () => false,
  )
}

describe('a repository with large files of other authors', () => {
  test('is mirrored to with bounded memory, and its files are not touched', async () => {
    const team = await bed.team('large', await bed.remote(), {
      target: false,
      resources: ['configmaps'],
    })
    const moved = Array.from({ length: 10 }, (_, index) => index)
    await commit(team, 'cluster/data/0.json', 4, (index) => padded(40 * MiB, index))
    // Below the limit, but not together.
    await commit(team, 'cluster/text/0.yaml', 24, (index) => padded(3 * MiB, index))
    // Moved manifests of objects that are mirrored, among many comments.
    await commit(team, 'cluster/apps/0.yaml', moved.length, (index) =>
      padded(MiB / 2, index, manifest('large', `moved-${index}`)),
    )
    await team.remote.commit('main', { 'cluster/README.md': padded(6 * MiB, 0) })
    const theirs = await team.remote.git('ls-tree', '-r', 'main', 'cluster/data', 'cluster/text')
    const readme = await team.remote.git('rev-parse', 'main:cluster/README.md')
    for (const index of moved) await team.configMap(`moved-${index}`, { version: '1' })
    await team.configMap('a', { version: '1' })
    await team.createTarget({ prune: { mode: 'Always' } } as never)
    await until(() => isMirrored(team, 'a'))
    await team.isReady()
    if (isFull) expect(await peakMiB()).toBeLessThan(maxResidentMiB)
    const now = await team.remote.git('ls-tree', '-r', 'main', 'cluster/data', 'cluster/text')
    expect(now).toBe(theirs)
    expect(await team.remote.git('rev-parse', 'main:cluster/README.md')).toBe(readme)
    const edited = await team.remote.git('show', 'main:cluster/apps/7.yaml')
    expect(edited.endsWith('\ndata:\n  version: "1"')).toBe(true)
    // The mirror continues afterwards.
    await team.configMap('b', { version: '1' })
    await until(() => isMirrored(team, 'b'))
    if (isFull) expect(await peakMiB()).toBeLessThan(maxResidentMiB)
  })

  test('reports one at the path of a mirrored object, and does not change it', async () => {
    const team = await bed.team('taken', await bed.remote(), {
      target: false,
      resources: ['configmaps'],
    })
    const path = team.path('configmaps', 'taken')
    await team.remote.commit('main', { [path]: padded(5 * MiB, 0, manifest('taken', 'taken')) })
    const theirs = await team.remote.git('rev-parse', `main:${path}`)
    await team.configMap('taken', { version: '1' })
    await team.configMap('free', { version: '1' })
    await team.createTarget()
    await until(() => isMirrored(team, 'free'))
    const problem = `${path} cannot be written: a file of more than 4 MiB exists at this path`
    await until(async () => {
      const { status } = await team.target()
      const synced = status?.conditions?.find(({ type }) => type === 'SnapshotSynced')
      return synced?.status === 'False' && synced.message.includes(problem)
    })
    await team.deleteConfigMap('taken')
    await team.isReady()
    expect(await team.remote.git('rev-parse', `main:${path}`)).toBe(theirs)
  })
})
