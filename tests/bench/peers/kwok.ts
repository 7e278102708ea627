import { join } from 'node:path'
import { type KubeClient, NodeKind } from '@agents/kube'
import type { RunPlatform } from '../../support/run-platform/run-platform.ts'
import { type ChildProgram, startProgram } from '../../support/testbed/child-program.ts'
import { ensureGoProgram } from '../../support/testbed/go-program.ts'
import { until } from '../../support/testbed/until.ts'

const sources = join(import.meta.dirname, '../go/kwok')
const stages = join(import.meta.dirname, 'kwok-stages.yaml')
const nodeName = 'simulated'

/** The path of kwok, which is built at first use; undefined where Go is not installed. */
export function ensureKwok(): Promise<string | undefined> {
  return ensureGoProgram(sources, process.env, 'sigs.k8s.io/kwok/cmd/kwok')
}

/** Starts kwok with one node; resolves when the scheduler may bind pods to it. */
export async function startKwok(
  path: string,
  { client, kubeconfigPath, stateDir }: RunPlatform,
): Promise<ChildProgram> {
  const args = [`--kubeconfig=${kubeconfigPath}`, `--config=${stages}`]
  const kwok = await startProgram('kwok', path, args, join(stateDir, 'kwok.log'))
  await client.create(NodeKind, { metadata: { name: nodeName } })
  try {
    await until(() => isSchedulable(kwok, client))
  } catch (error) {
    const log = await kwok.logTail()
    await kwok.stop()
    throw new Error(`kwok did not get its node ready; its log ends:\n${log}`, { cause: error })
  }
  return kwok
}

async function isSchedulable(kwok: ChildProgram, client: KubeClient): Promise<boolean> {
  const ending = kwok.exited()
  if (ending !== undefined) throw new Error(`kwok ${ending}`)
  const { spec, status } = await client.get(NodeKind, { name: nodeName })
  const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True')
  return isReady === true && (spec?.taints ?? []).length === 0
}
