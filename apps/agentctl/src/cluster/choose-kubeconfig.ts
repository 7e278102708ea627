import { join, resolve } from 'node:path'
import { kubeconfigPaths } from '@agents/kube'
import type { World } from '../cli/world.ts'
import { readRunningPlatform } from '../platform/platform-record.ts'
import type { ClusterValues } from './cluster-options.ts'

export interface ChosenKubeconfig {
  readonly paths: readonly string[]
  /** For the reader: why this one. */
  readonly because: string
}

type Choice = Pick<ClusterValues, 'kubeconfig' | 'state-dir'>

export async function chooseKubeconfig(values: Choice, world: World): Promise<ChosenKubeconfig> {
  if (values.kubeconfig !== undefined) {
    return {
      paths: [resolve(world.workingDirectory, values.kubeconfig)],
      because: '--kubeconfig names it',
    }
  }
  if (world.environment.KUBECONFIG) {
    return { paths: kubeconfigPaths(world.environment), because: 'KUBECONFIG names it' }
  }
  const stateDir = chooseStateDir(values, world)
  const platform = await readRunningPlatform(stateDir)
  if (platform !== undefined) {
    return { paths: [platform.kubeconfig], because: `the platform in ${stateDir} runs` }
  }
  return {
    paths: kubeconfigPaths({}, world.home),
    because: `nothing else is named, and no platform runs in ${stateDir}`,
  }
}

export function chooseStateDir(values: Pick<Choice, 'state-dir'>, world: World): string {
  const named = values['state-dir'] ?? world.environment.AGENTCTL_STATE_DIR
  return named ? resolve(world.workingDirectory, named) : join(world.checkout, '.state')
}
