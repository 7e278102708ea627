import { join } from 'node:path'
import type { Connection } from '../transport/connection.ts'
import type { ConfigEffects } from './effects.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import { createRereadFile } from './reread-file.ts'
import { tokenFile } from './token-file.ts'

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Connects as the service account of the current pod. Rereads the token and the authority as they are renewed. */
export async function loadInCluster(
  effects: Pick<ConfigEffects, 'readFile' | 'clock' | 'environment'>,
  directory: string = mounted,
): Promise<Connection> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = effects.environment
  if (!host || !port) {
    throw new KubeconfigError('not in a pod: KUBERNETES_SERVICE_HOST and _PORT are not set')
  }
  const credentials = tokenFile(join(directory, 'token'), effects)
  const authority = createRereadFile(join(directory, 'ca.crt'), effects, (text) => text)
  try {
    await credentials.current()
    await authority.current()
  } catch (cause) {
    throw new KubeconfigError(`${directory} has no usable service account`, { cause })
  }
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: await namespaceIn(directory, effects),
    credentials,
    tls: { authority: () => authority.current() },
  }
}

/** Whether the environment is that of a pod, so that `loadInCluster` can be used. */
export function isInCluster(environment: ConfigEffects['environment']): boolean {
  return Boolean(environment.KUBERNETES_SERVICE_HOST && environment.KUBERNETES_SERVICE_PORT)
}

async function namespaceIn(
  directory: string,
  { readFile }: Pick<ConfigEffects, 'readFile'>,
): Promise<string> {
  const text = await readFile(join(directory, 'namespace')).catch(() => '')
  return text.trim() || 'default'
}
