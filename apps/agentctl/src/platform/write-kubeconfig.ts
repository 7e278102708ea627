import { parse, stringify } from 'yaml'
import { platformNamespace } from '../cluster/open-cluster.ts'
import { writePrivateFile } from './platform-record.ts'

interface Kubeconfig {
  readonly contexts: readonly { readonly name: string; readonly context: object }[]
}

/** Readable by its owner alone; commands without a namespace then mean the one where runs live. Returns the path to print. */
export async function writeKubeconfig(
  text: string,
  path: string,
  wanted: string | undefined,
): Promise<string> {
  const document = parse(text) as Kubeconfig
  const contexts = document.contexts.map(({ name, context }) => ({
    name,
    context: { ...context, namespace: platformNamespace },
  }))
  const written = stringify({ ...document, contexts }, { lineWidth: 0 })
  await writePrivateFile(path, written)
  if (wanted === undefined || wanted === path) return path
  await writePrivateFile(wanted, written)
  return wanted
}
