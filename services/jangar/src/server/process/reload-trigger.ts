import type { ConfigOf } from '@agents/config'
import { systemClock } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { StopTrigger } from '@agents/process'
import type { shared } from '../../config/shared.ts'
import { createConfigReload } from '../config-reload/config-reload.ts'

/** Stops the process when a Secret or ConfigMap behind its variables changes. Undefined if that is off. */
export function reloadTrigger(
  { configReload, pod }: Pick<ConfigOf<typeof shared>, 'configReload' | 'pod'>,
  client: KubeClient,
  log: Logger,
): StopTrigger | undefined {
  const namespace = pod.namespace ?? client.namespace
  const ports = { client, namespace, clock: systemClock, log, random: Math.random }
  const reload = createConfigReload(configReload, ports)
  return reload && { ...reload, shutdownMs: configReload.drainTimeoutMs }
}
