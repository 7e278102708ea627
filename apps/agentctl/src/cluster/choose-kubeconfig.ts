import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isInCluster, kubeconfigPaths } from '@agents/kube'
import type { World } from '../cli/world.ts'
import { readRunningPlatform } from '../platform/platform-record.ts'
import type { ClusterValues } from './cluster-options.ts'

export interface ChosenKubeconfig {
  /** None: as the ServiceAccount of the pod that this runs in. */
  readonly paths: readonly string[]
  /** For the reader: why this one. */
  readonly because: string
}

type Choice = Pick<ClusterValues, 'kubeconfig' | 'state-dir'>

/** What a choice depends on besides the command line. */
type Surroundings = Pick<World, 'environment' | 'workingDirectory' | 'home' | 'checkout'>

export async function chooseKubeconfig(
  values: Choice,
  world: Surroundings,
): Promise<ChosenKubeconfig> {
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
  const paths = kubeconfigPaths({}, world.home)
  if (isInCluster(world.environment) && !paths.some((path) => existsSync(path))) {
    return { paths: [], because: 'this runs in a pod, as its ServiceAccount' }
  }
  return {
    paths,
    because: `nothing else is named, and no platform runs in ${stateDir}`,
  }
}

export function chooseStateDir(
  values: Pick<Choice, 'state-dir'>,
  world: Pick<Surroundings, 'environment' | 'workingDirectory' | 'checkout'>,
): string {
  const named = values['state-dir'] ?? world.environment.AGENTCTL_STATE_DIR
  return named ? resolve(world.workingDirectory, named) : join(world.checkout, '.state')
}
