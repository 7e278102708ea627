import type { ConfigOf } from '@agents/config'
import { type Clock, type HealthCheck, type Runnable, sleep } from '@agents/controller'
import { ConfigMapKind, type KindRef, type KubeClient, SecretKind } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { configReload } from '../../config/config-reload.ts'
import type { Content } from './content-digest.ts'
import { contentChange, describe, type WatchedObject } from './watched-object.ts'

export type ConfigReloadSettings = ConfigOf<typeof configReload>

interface ReloadPorts {
  readonly client: Pick<KubeClient, 'get' | 'watch'>
  /** The namespace of the pod. */
  readonly namespace: string
  readonly clock: Clock
  readonly log: Logger
  /** In [0, 1). */
  readonly random: () => number
}

/** Watches the Secrets and ConfigMaps that the environment variables of the process come from. */
interface ConfigReload extends Runnable {
  /** Aborted when the process should exit. */
  readonly signal: AbortSignal
  /** Fails once the configuration has changed, so that the pod gets no new requests. */
  readonly check: HealthCheck
}

/** Undefined if reloading is off or no objects are listed. */
export function createConfigReload(
  settings: ConfigReloadSettings,
  ports: ReloadPorts,
): ConfigReload | undefined {
  if (settings.mode === 'off') return undefined
  const objects = watchedObjects(settings, ports.namespace)
  if (objects.length === 0) {
    ports.log.warn('JANGAR_CONFIG_RELOAD_MODE is exit, but no Secret or ConfigMap is listed')
    return undefined
  }
  const ending = new AbortController()
  return {
    name: 'configuration',
    signal: ending.signal,
    check: () => {
      if (ending.signal.aborted)
        throw new Error('the configuration has changed; the process is about to exit')
    },
    run: async (signal) => {
      await untilChanged(objects, settings, ports, signal)
      if (!signal.aborted) ending.abort()
    },
  }
}

/**
 * Resolves when an object has changed and a random delay of at most `jitterMs` has passed, or when the signal is
 * aborted.
 */
async function untilChanged(
  objects: readonly WatchedObject[],
  { jitterMs }: ConfigReloadSettings,
  ports: ReloadPorts,
  signal: AbortSignal,
): Promise<void> {
  const { log, clock, random } = ports
  const settled = new AbortController()
  const watching = AbortSignal.any([signal, settled.signal])
  const watches = objects.map(async (object) => {
    const changed = await contentChange(object, ports, watching)
    if (changed === undefined || watching.aborted) return
    settled.abort()
    const waitMs = Math.floor(random() * jitterMs)
    log.info('configuration changed, exiting to restart with it', {
      object: describe(object),
      resourceVersion: changed.metadata.resourceVersion,
      inMs: waitMs,
    })
    await sleep(clock, waitMs, signal)
  })
  await Promise.all(watches)
}

function watchedObjects(
  { secrets, configMaps }: ConfigReloadSettings,
  namespace: string,
): readonly WatchedObject[] {
  const of = (kind: KindRef<Content>, names: ConfigReloadSettings['secrets']) =>
    names.map((entry) => ({ ...entry, kind, namespace }))
  return [...of(SecretKind, secrets), ...of(ConfigMapKind, configMaps)]
}
