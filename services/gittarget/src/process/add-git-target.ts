import {
  type Clock,
  ClusterEventRecorder,
  filledCaches,
  type Manager,
  type Metrics,
  whenAborted,
} from '@agents/controller'
import type { Informers, KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import { AuditWebhook, type AuditWebhookOptions } from '../audit/audit-webhook.ts'
import type { UserOfChange } from '../mirror/authors/change-authors.ts'
import { addAuditMetrics } from './audit-metrics.ts'
import { createComponents, type GitTargetComponents } from './components.ts'
import { fingerprintKey } from './fingerprint-key.ts'
import { kindRunnable } from './kind-runnable.ts'
import { addMirrorMetrics } from './mirror-metrics.ts'

type AuditEndpoint = Omit<AuditWebhookOptions, 'clock' | 'log' | 'onWrite'>

interface GitTargetParts {
  readonly client: KubeClient
  /** Not shared: they are stopped with the process. */
  readonly informers: Informers
  readonly log: Logger
  readonly clock: Clock
  readonly namespaces: readonly string[]
  readonly stateDir: string
  readonly allowFile: boolean
  readonly path: string
  readonly metrics?: Metrics | undefined
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer | undefined
  /** Finds the authenticated users of changes. If omitted, by audit events. */
  readonly userOf?: UserOfChange | undefined
  /** Where audit events are received. If omitted, they are not. */
  readonly auditWebhook?: AuditEndpoint | undefined
  /** Name of this process among several, in events. */
  readonly instance: string
}

/** How long pending changes are pushed when the process stops. */
const flushMs = 15_000

/** Adds the controllers and their dependencies to the manager of a process. */
export async function addGitTarget(
  manager: Manager,
  parts: GitTargetParts,
): Promise<GitTargetComponents> {
  const { client, informers, log, clock, stateDir, instance, metrics } = parts
  const events = new ClusterEventRecorder({
    client,
    source: { component: 'gittarget', instance },
    log,
    clock,
  })
  const components = createComponents({ ...parts, fingerprintKey: await fingerprintKey(stateDir) })
  if (metrics) addMirrorMetrics(metrics, components)
  manager.add('servers', {
    name: 'events',
    run: async (signal) => {
      await whenAborted(signal)
      await events.stop()
    },
  })
  if (parts.auditWebhook) {
    const { auditedWrites } = components
    const webhook = new AuditWebhook({
      ...parts.auditWebhook,
      ...{ clock, log },
      onWrite: (write) => auditedWrites.add(write),
    })
    if (metrics) addAuditMetrics(metrics, webhook)
    manager.add('servers', webhook)
  }
  manager.add('caches', filledCaches(informers, log, { isShared: false }))
  // Stopped after the controllers, because they start mirrors.
  manager.add('always', {
    name: 'mirrors',
    start: async () => components.catalog.start(),
    run: async (signal) => {
      await whenAborted(signal)
      await components.stop(flushMs)
    },
  })
  const ports = { client, events, log, clock, metrics, tracer: parts.tracer }
  manager.add('leading', kindRunnable(components.gitProvider, ports))
  manager.add('leading', kindRunnable(components.gitTarget, ports))
  manager.add('leading', kindRunnable(components.watchRule, ports))
  manager.add('leading', kindRunnable(components.clusterWatchRule, ports))
  return components
}
