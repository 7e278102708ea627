import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'

/** With this extension of its cluster, a kubeconfig names the state folder of its local platform. */
const extensionName = 'agents.proompteng.ai/local-platform'

interface NamedExtension {
  readonly name?: unknown
  readonly extension?: { readonly stateDir?: unknown } | null
}

interface Kubeconfig {
  readonly 'current-context'?: unknown
  readonly contexts?: readonly NamedContext[] | null
  readonly clusters?: readonly NamedCluster[] | null
}

interface NamedContext {
  readonly name?: unknown
  readonly context?: { readonly cluster?: unknown } | null
}

interface NamedCluster {
  readonly name?: unknown
  readonly cluster?: { readonly extensions?: readonly NamedExtension[] | null } | null
}

export function stateDirExtension(stateDir: string): NamedExtension {
  return { name: extensionName, extension: { stateDir } }
}

/** The state folder of the platform that the current context belongs to; undefined for other clusters. */
export async function stateDirOfKubeconfigs(paths: readonly string[]): Promise<string | undefined> {
  const files = await Promise.all(paths.map(readKubeconfig))
  const current = files.map((file) => file['current-context']).find(Boolean)
  const context = firstNamed(current, files, (file) => file.contexts)?.context
  const cluster = firstNamed(context?.cluster, files, (file) => file.clusters)?.cluster
  const extensions = listOf(cluster?.extensions)
  const stateDir = extensions.find(({ name }) => name === extensionName)?.extension?.stateDir
  return typeof stateDir === 'string' && stateDir !== '' ? stateDir : undefined
}

/** As kubectl merges files, the first one that names an entry decides it. */
function firstNamed<T extends { readonly name?: unknown }>(
  name: unknown,
  files: readonly Kubeconfig[],
  entries: (file: Kubeconfig) => readonly T[] | null | undefined,
): T | undefined {
  return files.flatMap((file) => listOf(entries(file))).find((entry) => entry.name === name)
}

function listOf<T>(value: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(value) ? value.filter((entry) => entry !== null) : []
}

/** A file that cannot be read names no platform: commands that need the cluster report it. */
async function readKubeconfig(path: string): Promise<Kubeconfig> {
  try {
    const value: unknown = parse(await readFile(path, 'utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
