import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { normalise } from '../kubectl/normalise.ts'
import { runTool, type ToolResult } from '../tools/run-tool.ts'

export type HelmVersion = '3' | '4'

/** What a release said and left behind at each station of its life, without what differs from run to run. */
export type Life = Readonly<Record<string, string>>

export interface Cluster {
  readonly url: string
  readonly kubeconfigPath: string
}

const chart = join(import.meta.dirname, 'chart')

/** Installs, upgrades, rolls back and uninstalls the chart, as somebody would who looks after each step. */
export async function liveThrough(version: HelmVersion, cluster: Cluster): Promise<Life> {
  const home = await mkdtemp(join(tmpdir(), 'agents-helm-'))
  const kubeconfig = join(home, 'kubeconfig')
  await copyFile(cluster.kubeconfigPath, kubeconfig)
  // Helm warns about one that others may read.
  await chmod(kubeconfig, 0o600)
  const namespace = `shop-${version}`
  const options = { kubeconfig, env: { HOME: home, TMPDIR: home }, timeoutMs: 240_000 }
  const helm = (...args: string[]) =>
    runTool(['helm', version], [...args, '--namespace', namespace], options)
  const kubectl = (args: readonly string[], stdin = '') =>
    runTool(['kubectl', '1.36'], [...args, '--namespace', namespace], { ...options, stdin })
  const shown = ({ code, stdout, stderr }: ToolResult): string =>
    `${normalise(withoutTimes(stdout + stderr), cluster.url, home)}[exit ${code}]`
  const outcome = async (): Promise<string> =>
    shown(await kubectl(['get', everything, '-o', 'yaml']))
  try {
    const life: Record<string, string> = {}
    life.install = shown(
      await helm('install', 'first', chart, '--create-namespace', '--description', 'one'),
    )
    await untilFurnished(kubectl)
    life.installed = await outcome()
    life.again = shown(await helm('install', 'first', chart))
    life.upgrade = shown(
      await helm('upgrade', 'first', chart, '--set', 'replicas=3,colour=red,image=shop:2'),
    )
    life.upgraded = await outcome()
    life.refused = shown(await helm('upgrade', 'first', chart, '--set', 'replicas=-7'))
    life.rollback = shown(await helm('rollback', 'first', '1'))
    life.rolledBack = await outcome()
    life.history = shown(await helm('history', 'first'))
    // Helm 4 shows kinds in the order of a Go map.
    life.status = sortedLines(shown(await helm('status', 'first')))
    life.list = shown(await helm('list'))
    life.manifest = shown(await helm('get', 'manifest', 'first'))
    life.uninstall = shown(await helm('uninstall', 'first', '--wait', '--timeout', '200s'))
    life.uninstalled = await outcome()
    const template = await helm('template', 'second', chart, '--include-crds')
    life.template = shown(template)
    life.applied = shown(await kubectl(['apply', '-f', '-'], template.stdout))
    life.appliedAgain = shown(await kubectl(['apply', '--server-side', '-f', '-'], template.stdout))
    // The definition stays: how soon its objects go with it is a race.
    const { stdout: objects } = await helm('template', 'second', chart)
    life.deleted = shown(await kubectl(['delete', '-f', '-'], objects))
    return life
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Every namespace is given these, a moment after it is made. */
async function untilFurnished(
  kubectl: (args: readonly string[]) => Promise<ToolResult>,
): Promise<void> {
  for (const name of ['serviceaccount/default', 'configmap/kube-root-ca.crt']) {
    const waited = await kubectl(['wait', '--for=create', name, '--timeout=200s'])
    if (waited.code !== 0) throw new Error(waited.stderr)
  }
}

const sortedLines = (text: string): string => text.split('\n').sort().join('\n')

const everything =
  'serviceaccounts,configmaps,secrets,roles,rolebindings,deployments,services,shelves,crds'

/** Helm has time formats of its own, and packs the whole release, times and all, into a secret. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/\b\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}\b/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000 UTC/g, 'TIME')
    .replaceAll(/^( +release: ).*$/gm, '$1RELEASE')
    .replaceAll(/modifiedAt: "\d+"/g, 'modifiedAt: TIME')
    .replaceAll(/^( +kubernetes\.io\/description:).*(\n {6,}.*)*/gm, '$1 TEXT')
}
