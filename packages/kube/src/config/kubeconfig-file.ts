import { createRequire } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { KubeconfigError } from './kubeconfig-error.ts'

/** The part of a kubeconfig that the client reads, with the field names of the file. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, ClusterEntry>
  readonly users: ReadonlyMap<string, UserEntry>
  readonly contexts: ReadonlyMap<string, ContextEntry>
  readonly currentContext: string | undefined
}

export interface ClusterEntry {
  readonly server?: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
  readonly 'proxy-url'?: string
}

export interface UserEntry {
  readonly token?: string
  readonly tokenFile?: string
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly username?: string
  readonly password?: string
  readonly exec?: ExecEntry
  readonly 'auth-provider'?: unknown
  readonly as?: string
  readonly 'as-uid'?: string
  readonly 'as-groups'?: readonly string[]
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>
}

interface ContextEntry {
  readonly cluster?: string
  readonly user?: string
  readonly namespace?: string
}

export interface ExecEntry {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly provideClusterInfo?: boolean
  readonly interactiveMode?: string
  readonly installHint?: string
}

/** Paths in the text are relative to `directory`, the directory of the file. */
export function parseKubeconfig(text: string, directory: string): Kubeconfig {
  let document: unknown
  try {
    document = parseJsonText(text) ?? yamlLibrary().parse(text)
  } catch (cause) {
    throw new KubeconfigError('the kubeconfig is not valid YAML', { cause })
  }
  const root = recordOf(document ?? {}, 'the kubeconfig')
  const current = root['current-context']
  const at = (entry: Record<string, unknown>): Record<string, unknown> =>
    withAbsolutePaths(entry, directory)
  return {
    clusters: named(root, 'clusters', 'cluster', at) as Map<string, ClusterEntry>,
    users: named(root, 'users', 'user', at) as Map<string, UserEntry>,
    contexts: named(root, 'contexts', 'context') as Map<string, ContextEntry>,
    currentContext: typeof current === 'string' && current !== '' ? current : undefined,
  }
}

/** Merges the files of KUBECONFIG like kubectl: the first value wins. */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  const merge = <V>(maps: readonly ReadonlyMap<string, V>[]): Map<string, V> =>
    new Map(maps.toReversed().flatMap((map) => [...map]))
  return {
    clusters: merge(files.map(({ clusters }) => clusters)),
    users: merge(files.map(({ users }) => users)),
    contexts: merge(files.map(({ contexts }) => contexts)),
    currentContext: files.find(({ currentContext }) => currentContext !== undefined)
      ?.currentContext,
  }
}

const pathFields = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']

function withAbsolutePaths(
  entry: Record<string, unknown>,
  directory: string,
): Record<string, unknown> {
  const resolved = { ...entry }
  for (const field of pathFields) {
    const path = resolved[field]
    if (typeof path === 'string' && path !== '' && !isAbsolute(path)) {
      resolved[field] = join(directory, path)
    }
  }
  // A relative path of a plugin is relative to the file; a bare name is searched in PATH.
  const { exec } = resolved
  if (exec !== null && typeof exec === 'object') {
    const { command } = exec as ExecEntry
    if (command !== undefined && !isAbsolute(command) && dirname(command) !== '.') {
      resolved.exec = { ...exec, command: join(directory, command) }
    }
  }
  return resolved
}

function named(
  root: Record<string, unknown>,
  list: string,
  member: string,
  change: (entry: Record<string, unknown>) => Record<string, unknown> = (entry) => entry,
): Map<string, unknown> {
  const entries = root[list] ?? []
  if (!Array.isArray(entries)) throw new KubeconfigError(`${list} of the kubeconfig is not a list`)
  const found = new Map<string, unknown>()
  for (const each of entries) {
    const entry = recordOf(each, `an entry of ${list}`)
    const { name } = entry
    if (typeof name !== 'string' || name === '') {
      throw new KubeconfigError(`an entry of ${list} has no name`)
    }
    if (!found.has(name)) found.set(name, change(recordOf(entry[member] ?? {}, `${list}: ${name}`)))
  }
  return found
}

function recordOf(value: unknown, what: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new KubeconfigError(`${what} is not a mapping`)
  }
  return value as Record<string, unknown>
}

/** JSON is YAML too, but parses without the library. */
function parseJsonText(text: string): unknown {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const require = createRequire(import.meta.url)

/** Loaded on first use: a pod has no kubeconfig, and the library consists of seventy files. */
function yamlLibrary(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml')
}
