import type { BackgroundTask } from '../controllers/background-task.ts'
import { startEventExpiry } from '../controllers/event-expiry.ts'
import { startFinishedJobs } from '../controllers/finished-jobs.ts'
import { startGarbageCollector } from '../controllers/garbage-collector.ts'
import { createInternalClient } from '../controllers/internal-client.ts'
import { startNamespaceDefaults } from '../controllers/namespace-defaults.ts'
import { startNamespaceDeletion } from '../controllers/namespace-deletion.ts'
import { startRoleAggregation } from '../controllers/role-aggregation.ts'
import type { RestEnvironment } from '../rest/environment.ts'
import type { ServerCore } from '../server-frame.ts'

/** Starts what goes on behind the API. */
export function startBackground(
  { store, registry, clock, logger }: ServerCore,
  environment: RestEnvironment,
  caCertificate: string,
): BackgroundTask[] {
  const options = (controller: string) => ({
    store,
    registry,
    clock,
    client: createInternalClient(environment, controller, clock),
    onError: (key: string, error: unknown) =>
      logger.warn('a controller could not do its work', { controller, key, error }),
  })
  return [
    startGarbageCollector(options('system:serviceaccount:kube-system:generic-garbage-collector')),
    startNamespaceDeletion(options('system:serviceaccount:kube-system:namespace-controller')),
    startNamespaceDefaults({
      ...options('system:serviceaccount:kube-system:service-account-controller'),
      caCertificate,
    }),
    startFinishedJobs(options('system:serviceaccount:kube-system:ttl-after-finished-controller')),
    startRoleAggregation(
      options('system:serviceaccount:kube-system:clusterrole-aggregation-controller'),
    ),
    startEventExpiry(options('system:apiserver')),
  ]
}
