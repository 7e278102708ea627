import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Connection, Impersonation, TlsOptions } from '../transport/connection.ts'
import type { ConfigEffects } from './effects.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import {
  type ClusterEntry,
  type Kubeconfig,
  mergeKubeconfigs,
  parseKubeconfig,
  type UserEntry,
} from './kubeconfig-file.ts'
import { materialOf } from './material.ts'
import { userCredentials } from './user-credentials.ts'

/** Files as listed in KUBECONFIG, or the text itself. Relative paths in a text are relative to `directory`. */
type KubeconfigSource =
  | { readonly paths: readonly string[] }
  | { readonly text: string; readonly directory?: string }

/** Throws a KubeconfigError that describes the problem if the kubeconfig cannot be used. */
export async function loadKubeconfig(
  source: KubeconfigSource,
  effects: ConfigEffects,
  options: { readonly context?: string | undefined } = {},
): Promise<Connection> {
  const config = await read(source, effects)
  const name = options.context ?? config.currentContext
  if (name === undefined) throw new KubeconfigError('the kubeconfig has no current context')
  const context = lookUp(config.contexts, name, 'context')
  const cluster = lookUp(config.clusters, context.cluster ?? '', 'cluster')
  const user = context.user ? lookUp(config.users, context.user, 'user') : {}
  const { server } = cluster
  if (!server || !URL.canParse(server)) {
    throw new KubeconfigError(
      `cluster ${context.cluster} has no usable server: ${server ?? 'the field is missing'}`,
    )
  }
  if (cluster['proxy-url']) {
    throw new KubeconfigError(`cluster ${context.cluster}: proxy-url is not supported`)
  }
  const base = { server, namespace: context.namespace || 'default' }
  // Like kubectl: credentials are not sent over plain HTTP.
  if (new URL(server).protocol === 'http:') return base
  const credentials = await userCredentials(user, { cluster, server }, effects)
  const impersonate = impersonation(user)
  return {
    ...base,
    tls: await tlsOptions(cluster, effects),
    ...(credentials !== undefined && { credentials }),
    ...(impersonate !== undefined && { impersonate }),
  }
}

/** The paths that kubectl reads. */
export function kubeconfigPaths(
  environment: ConfigEffects['environment'],
  home: string = homedir(),
): string[] {
  const listed = (environment.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '')
  return listed.length > 0 ? [...new Set(listed)] : [join(home, '.kube', 'config')]
}

async function read(source: KubeconfigSource, effects: ConfigEffects): Promise<Kubeconfig> {
  if ('text' in source) return parseKubeconfig(source.text, source.directory ?? '.')
  const files: Kubeconfig[] = []
  for (const path of source.paths) {
    const text = await readIfPresent(path, effects)
    if (text === undefined) continue
    try {
      files.push(parseKubeconfig(text, dirname(path)))
    } catch (cause) {
      throw new KubeconfigError(`${path} cannot be read`, { cause })
    }
  }
  if (files.length === 0) {
    throw new KubeconfigError(`no kubeconfig found at ${source.paths.join(', ') || 'any path'}`)
  }
  return mergeKubeconfigs(files)
}

async function readIfPresent(path: string, effects: ConfigEffects): Promise<string | undefined> {
  try {
    return await effects.readFile(path)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw new KubeconfigError(`${path} cannot be read`, { cause: error })
  }
}

function lookUp<V>(entries: ReadonlyMap<string, V>, name: string, what: string): V {
  const entry = entries.get(name)
  if (entry === undefined) throw new KubeconfigError(`the kubeconfig has no ${what} ${name}`)
  return entry
}

async function tlsOptions(cluster: ClusterEntry, effects: ConfigEffects): Promise<TlsOptions> {
  const authority = await materialOf(
    cluster['certificate-authority-data'],
    cluster['certificate-authority'],
    'certificate-authority',
    effects,
  )
  const insecure = cluster['insecure-skip-tls-verify'] === true
  if (insecure && authority !== undefined) {
    throw new KubeconfigError(
      'certificate-authority and insecure-skip-tls-verify cannot both be set',
    )
  }
  const serverName = cluster['tls-server-name']
  return {
    ...(authority !== undefined && { authority: () => Promise.resolve(authority) }),
    ...(serverName && { serverName }),
    ...(insecure && { insecureSkipVerify: true }),
  }
}

function impersonation(user: UserEntry): Impersonation | undefined {
  if (!user.as) return undefined
  return {
    user: user.as,
    ...(user['as-uid'] && { uid: user['as-uid'] }),
    ...(user['as-groups'] && { groups: user['as-groups'] }),
    ...(user['as-user-extra'] && { extra: user['as-user-extra'] }),
  }
}
