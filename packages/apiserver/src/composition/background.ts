import type { KeyMaterial } from '../auth/pki/key-material.ts'
import type { BuiltinTables } from '../builtin/schema/tables.ts'
import type { BackgroundTask } from '../controllers/background-task.ts'
import { startCertificateSigner } from '../controllers/certificate-signer.ts'
import { startClaimProtection } from '../controllers/claim-protection.ts'
import { startEventExpiry } from '../controllers/event-expiry.ts'
import { startFinishedJobs } from '../controllers/finished-jobs.ts'
import { startGarbageCollector } from '../controllers/garbage-collector.ts'
import { createInternalClient } from '../controllers/internal-client.ts'
import { startNamespaceDefaults } from '../controllers/namespace-defaults.ts'
import { startNamespaceDeletion } from '../controllers/namespace-deletion.ts'
import { startPolicyTypeChecks } from '../controllers/policy-type-checks.ts'
import { startRoleAggregation } from '../controllers/role-aggregation.ts'
import { startVolumeProtection } from '../controllers/volume-protection.ts'
import { createBuiltinDefinitions } from '../openapi/builtin-definitions.ts'
import { resolvedSchema } from '../openapi/resolved-schema.ts'
import type { RestEnvironment } from '../rest/environment.ts'
import type { ServerCore } from '../server-frame.ts'

/** Starts the controllers that run inside the server. */
export function startBackground(
  { store, registry, clock, logger }: ServerCore,
  environment: RestEnvironment,
  keys: Pick<KeyMaterial, 'caCertificate' | 'caKey'>,
  tables: Pick<BuiltinTables, 'definitions' | 'packages'>,
): BackgroundTask[] {
  const definitions = createBuiltinDefinitions(tables)
  const options = (controller: string) => ({
    store,
    registry,
    clock,
    client: createInternalClient(environment, controller, clock),
    onError: (key: string, error: unknown) =>
      logger.warn('controller failed to process an object', { controller, key, error }),
  })
  return [
    startGarbageCollector(options('system:serviceaccount:kube-system:generic-garbage-collector')),
    startNamespaceDeletion(options('system:serviceaccount:kube-system:namespace-controller')),
    startNamespaceDefaults({
      ...options('system:serviceaccount:kube-system:service-account-controller'),
      caCertificate: keys.caCertificate,
    }),
    startCertificateSigner({
      ...options('system:serviceaccount:kube-system:certificate-controller'),
      authority: { certificate: keys.caCertificate, key: keys.caKey },
    }),
    startFinishedJobs(options('system:serviceaccount:kube-system:ttl-after-finished-controller')),
    startClaimProtection(options('system:serviceaccount:kube-system:pvc-protection-controller')),
    startVolumeProtection(options('system:serviceaccount:kube-system:pv-protection-controller')),
    startRoleAggregation(
      options('system:serviceaccount:kube-system:clusterrole-aggregation-controller'),
    ),
    startPolicyTypeChecks({
      ...options('system:serviceaccount:kube-system:validatingadmissionpolicy-status-controller'),
      schemaOf: (resource) => resolvedSchema(resource, definitions),
    }),
    startEventExpiry(options('system:apiserver')),
  ]
}
