import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { releasedDigests } from '@agents/chart-tools'

const run = promisify(execFile)

interface ChartCheckOptions {
  /** Whether the baseline of the chart's version is written first. If not, an outdated one is an error. */
  readonly write: boolean
}

/** Checks that the chart can be upgraded to and rolled back from, compared with every released version. */
export async function checkChart(root: string, { write }: ChartCheckOptions): Promise<void> {
  await refuseReleasedVersion(root)
  const compat = join(root, 'packages', 'chart-tools', 'src', 'main', 'compat.ts')
  const steps = [
    [join(root, 'scripts', 'generate.ts'), ...(write ? [] : ['--check'])],
    ...(write ? [[compat, '--write']] : []),
    write ? [compat, '--release'] : [compat],
  ]
  for (const step of steps) {
    await run(process.execPath, step, { cwd: root }).catch((error: { stdout?: string }) => {
      throw new Error(error.stdout || String(error))
    })
  }
  if (write) return
  const chart = join(root, 'charts', 'agents')
  const version = versionIn(await readFile(join(chart, 'Chart.yaml'), 'utf8'))
  if ((await releasedDigests(chart))[version ?? ''] === undefined) {
    throw new Error(`ci/released.yaml lacks ${version}: run without --check and commit`)
  }
}

/** A chart that has changed since a release needs a new version: released versions are immutable. */
async function refuseReleasedVersion(root: string): Promise<void> {
  const git = async (...args: readonly string[]) => (await run('git', ['-C', root, ...args])).stdout
  const tags = (await git('tag', '--merged', 'HEAD', '--sort=-version:refname', 'v*')).split('\n')
  const pointed = (await git('tag', '--points-at', 'HEAD')).split('\n')
  const last = tags.find((tag) => tag !== '' && !pointed.includes(tag))
  if (last === undefined) return
  const released = versionIn(await git('show', `${last}:charts/agents/Chart.yaml`))
  const changed = await git('diff', '--name-only', last, '--', 'charts/agents')
  const current = await readFile(join(root, 'charts', 'agents', 'Chart.yaml'), 'utf8')
  if (changed === '' || released !== versionIn(current)) return
  throw new Error(
    `the chart has changed since ${last}, which released it as ${released}: give it a new version with --chart`,
  )
}

function versionIn(chartYaml: string): string | undefined {
  return /^version: (.+)$/m.exec(chartYaml)?.[1]
}
