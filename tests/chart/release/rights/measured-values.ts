/** Finished deliveries are deleted while the test runs. */
const shortRetention = { signalDeliveryRetentionSeconds: 1 }

export const api = { enabled: true, plaintext: true }

/**
 * Values with every account of the chart, each with all optional permissions. A ClusterWatchRule needs cluster-wide
 * permissions.
 */
export const apart = {
  rbac: { clusterScoped: true },
  controller: { namespaces: ['*'], webhook: { enabled: true } },
  supportingController: shortRetention,
  controllers: { enabled: true },
  gitTargetController: {
    enabled: true,
    namespaces: ['*'],
    encryption: { autoCreateSecret: true },
    env: { vars: { GITTARGET_ALLOW_FILE_REPOSITORIES: 'true' } },
  },
  configReload: { mode: 'exit', jitterSeconds: 0 },
  rolloutChecksums: { secrets: ['token'], configMaps: ['flags'] },
  runnerServiceAccount: { create: true, rbac: { create: true } },
  crds: { upgradeJob: { enabled: true } },
  tests: { enabled: true },
  api,
}
export const alone = { supportingController: shortRetention }
export const artifacts = { store: 'file', file: { existingClaim: 'kept' } }
