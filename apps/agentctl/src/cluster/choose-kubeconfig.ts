import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isInCluster, kubeconfigPaths } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { jsonKubeconfig, readRunningPlatform } from '../running-platform/platform-record.ts'
import type { ClusterValues } from './cluster-options.ts'

export interface ChosenKubeconfig {
  /** If empty, the ServiceAccount of the pod that this runs in is used. */
  readonly paths: readonly string[]
  /** Why this one was chosen, to be shown to the user. */
  readonly because: string
}

type Choice = Pick<ClusterValues, 'kubeconfig' | 'state-dir'>

/** What the choice depends on besides the command line. */
type Machine = Pick<CommandContext, 'environment' | 'workingDirectory' | 'home' | 'defaultStateDir'>

export async function chooseKubeconfig(
  values: Choice,
  context: Machine,
): Promise<ChosenKubeconfig> {
  if (values.kubeconfig !== undefined) {
    return {
      paths: [resolve(context.workingDirectory, values.kubeconfig)],
      because: 'set by --kubeconfig',
    }
  }
  if (context.environment.KUBECONFIG) {
    return { paths: kubeconfigPaths(context.environment), because: 'set by KUBECONFIG' }
  }
  const stateDir = chooseStateDir(values, context)
  const platform = await readRunningPlatform(stateDir)
  if (platform !== undefined) {
    // The same as JSON, which is read faster. A platform of an earlier version has not written it.
    const asJson = join(stateDir, jsonKubeconfig)
    return {
      paths: [existsSync(asJson) ? asJson : platform.kubeconfig],
      because: `used by the platform running in ${stateDir}`,
    }
  }
  const paths = kubeconfigPaths({}, context.home)
  if (isInCluster(context.environment) && !paths.some((path) => existsSync(path))) {
    return { paths: [], because: 'the ServiceAccount of this pod is used' }
  }
  return {
    paths,
    because: `the default, since no platform is running in ${stateDir}`,
  }
}

/**
 * The state folder of the platform that the command line and the environment mean, running or not: that of KUBECONFIG
 * before the default one, since `agentctl down` must not stop another platform.
 */
export async function findStateDir(
  values: Pick<Choice, 'state-dir'>,
  context: Pick<Machine, 'environment' | 'workingDirectory' | 'defaultStateDir'>,
): Promise<string> {
  const { AGENTCTL_STATE_DIR: named, KUBECONFIG } = context.environment
  if (values['state-dir'] || named || !KUBECONFIG) return chooseStateDir(values, context)
  // Loaded here: it parses YAML, and most commands don't need it.
  const { stateDirOfKubeconfigs } = await import('../running-platform/kubeconfig-extension.ts')
  const found = await stateDirOfKubeconfigs(kubeconfigPaths(context.environment))
  return found ?? chooseStateDir(values, context)
}

export function chooseStateDir(
  values: Pick<Choice, 'state-dir'>,
  context: Pick<Machine, 'environment' | 'workingDirectory' | 'defaultStateDir'>,
): string {
  const named = values['state-dir'] ?? context.environment.AGENTCTL_STATE_DIR
  return named ? resolve(context.workingDirectory, named) : context.defaultStateDir
}
