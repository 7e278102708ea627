import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { platformNamespace } from '../cluster/open-cluster.ts'
import { stateDirExtension } from '../running-platform/kubeconfig-extension.ts'
import { jsonKubeconfig, writePrivateFile } from '../running-platform/platform-record.ts'
import type { StateFolder } from './state-folder.ts'

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[]
  readonly contexts: readonly { readonly name: string; readonly context: object }[]
}

/**
 * Writes the kubeconfig, readable by its owner alone, with the namespace of the platform as the default and with its
 * state folder, so that `agentctl down` finds the platform, and once more as JSON. Returns the path to print.
 */
export async function writeKubeconfig(
  text: string,
  { root, kubeconfig: path }: StateFolder,
  wanted: string | undefined,
): Promise<string> {
  const document = parse(text) as Kubeconfig
  const contexts = document.contexts.map(({ name, context }) => ({
    name,
    context: { ...context, namespace: platformNamespace },
  }))
  const clusters = document.clusters.map(({ name, cluster }) => ({
    name,
    cluster: { ...cluster, extensions: [stateDirExtension(root)] },
  }))
  const complete = { ...document, clusters, contexts }
  const written = stringify(complete, { lineWidth: 0 })
  await writePrivateFile(join(root, jsonKubeconfig), JSON.stringify(complete))
  await writePrivateFile(path, written)
  if (wanted === undefined || wanted === path) return path
  await writePrivateFile(wanted, written)
  return wanted
}
