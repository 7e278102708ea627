import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool, type ToolResult } from '../../support/tools/run-tool.ts'
import { normalise } from '../kubectl/normalise.ts'

export type HelmVersion = '3' | '4'

/** The output and the remaining objects of a release after each step, without what differs from run to run. */
export type ReleaseLife = Readonly<Record<string, string>>

interface Cluster {
  readonly url: string
  readonly kubeconfigPath: string
}

const chart = join(import.meta.dirname, 'chart')

/** Installs, upgrades, rolls back and uninstalls the chart, and inspects the cluster after each step. */
export async function liveThrough(version: HelmVersion, cluster: Cluster): Promise<ReleaseLife> {
  const home = await mkdtemp(join(tmpdir(), 'agents-helm-'))
  const kubeconfig = join(home, 'kubeconfig')
  await copyFile(cluster.kubeconfigPath, kubeconfig)
  // Helm warns about a kubeconfig that other users can read.
  await chmod(kubeconfig, 0o600)
  const namespace = `shop-${version}`
  const options = { kubeconfig, env: { HOME: home, TMPDIR: home }, timeoutMs: 240_000 }
  const helm = (...args: string[]) =>
    runTool(['helm', version], [...args, '--namespace', namespace], options)
  const kubectl = (args: readonly string[], stdin = '') =>
    runTool(['kubectl', '1.36'], [...args, '--namespace', namespace], { ...options, stdin })
  const normalised = ({ code, stdout, stderr }: ToolResult): string =>
    `${normalise(withoutTimes(stdout + stderr), cluster.url, home)}[exit ${code}]`
  const outcome = async (): Promise<string> =>
    normalised(await kubectl(['get', everything, '-o', 'yaml']))
  try {
    const life: Record<string, string> = {}
    life.install = normalised(
      await helm('install', 'first', chart, '--create-namespace', '--description', 'one'),
    )
    await untilFurnished(kubectl)
    life.installed = await outcome()
    life.again = normalised(await helm('install', 'first', chart))
    life.upgrade = normalised(
      await helm('upgrade', 'first', chart, '--set', 'replicas=3,colour=red,image=shop:2'),
    )
    life.upgraded = await outcome()
    life.refused = normalised(await helm('upgrade', 'first', chart, '--set', 'replicas=-7'))
    life.rollback = normalised(await helm('rollback', 'first', '1'))
    life.rolledBack = await outcome()
    life.history = normalised(await helm('history', 'first'))
    // Helm 4 prints kinds in the random order of Go maps.
    life.status = sortedLines(normalised(await helm('status', 'first')))
    life.list = normalised(await helm('list'))
    life.manifest = normalised(await helm('get', 'manifest', 'first'))
    life.uninstall = normalised(await helm('uninstall', 'first', '--wait', '--timeout', '200s'))
    life.uninstalled = await outcome()
    const template = await helm('template', 'second', chart, '--include-crds')
    life.template = normalised(template)
    life.applied = normalised(await kubectl(['apply', '-f', '-'], template.stdout))
    life.appliedAgain = normalised(
      await kubectl(['apply', '--server-side', '-f', '-'], template.stdout),
    )
    // The definition stays: how soon its objects are deleted with it is a race.
    const { stdout: objects } = await helm('template', 'second', chart)
    life.deleted = normalised(await kubectl(['delete', '-f', '-'], objects))
    return life
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Every namespace gets these a moment after its creation. */
async function untilFurnished(
  kubectl: (args: readonly string[]) => Promise<ToolResult>,
): Promise<void> {
  for (const name of ['serviceaccount/default', 'configmap/kube-root-ca.crt']) {
    const waited = await kubectl(['wait', '--for=create', name, '--timeout=200s'])
    if (waited.code !== 0) throw new Error(waited.stderr)
  }
}

function sortedLines(text: string): string {
  return text.split('\n').sort().join('\n')
}

const everything =
  'serviceaccounts,configmaps,secrets,roles,rolebindings,deployments,services,shelves,crds'

/** Helm has its own time formats, and stores the whole release, including times, in a Secret. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/\b\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}\b/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000 UTC/g, 'TIME')
    .replaceAll(/^( +release: ).*$/gm, '$1RELEASE')
    .replaceAll(/modifiedAt: "\d+"/g, 'modifiedAt: TIME')
    .replaceAll(/^( +kubernetes\.io\/description:).*(\n {6,}.*)*/gm, '$1 TEXT')
}
