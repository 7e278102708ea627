import { expect, test } from 'vitest'
import { type HelmVersion, problemsIn, render } from '../support/chart/render.ts'

const digest = `sha256:${'a'.repeat(64)}`
const timeout = 60_000

/** The rule numbers and value paths in the chart's error messages. */
async function refusals(values: unknown, helm: HelmVersion): Promise<readonly string[]> {
  const { code, errors } = await render(values, { helm })
  expect(code).not.toBe(0)
  return problemsIn(errors).map((line) => {
    const [, path = '', rule = ''] = /^([\w.[\]]+).*\[(V\d\d)\]$/.exec(line) ?? []
    return `${rule} ${path}`
  })
}

// Several violations at a time, since the chart reports all of them; the list must be complete.
test.each<{ because: string; values: unknown; says: readonly string[] }>([
  {
    because: 'controllers cannot be configured to migrate, and no variable is redefined',
    values: {
      controllers: { enabled: true, env: { vars: { JANGAR_MIGRATIONS: 'auto' } } },
      controlPlane: { env: { vars: { JANGAR_SKIP_MIGRATIONS: '1' } } },
      env: {
        vars: { JANGAR_MIGRATIONS: 'skpi' },
        extra: [
          { name: 'JANGAR_MIGRATIONS', value: 'auto' },
          { name: 'PORT', value: '9000' },
          { name: 'TWICE', value: '1' },
          { name: 'TWICE', value: '2' },
        ],
        secrets: [{ name: 'JANGAR_MIGRATIONS', secretName: 'x' }],
        config: [{ name: 'JANGAR_MIGRATIONS', configMapName: 'x' }],
      },
      envFromSecretRefs: [{ name: 'x', keys: ['JANGAR_MIGRATIONS'] }],
      envFromConfigMapRefs: [{ name: 'x', prefix: 'JANGAR_', keys: ['MIGRATIONS'] }],
    },
    says: [
      'V01 controllers.env.vars.JANGAR_MIGRATIONS',
      'V01 env.vars.JANGAR_MIGRATIONS',
      'V01 controlPlane.env.vars.JANGAR_SKIP_MIGRATIONS',
      'V02 env.config[0]',
      'V02 env.extra[0]',
      'V02 env.secrets[0]',
      'V03 envFromConfigMapRefs[0].keys',
      'V03 envFromSecretRefs[0].keys',
      // Once for each of the two Deployments.
      'V05 env.extra[1]',
      'V05 env.extra[3]',
      'V05 env.extra[1]',
      'V05 env.extra[3]',
    ],
  },
  {
    because: 'a database has one source, namespaces and names are valid',
    values: {
      database: { createSecret: { enabled: true }, secretRef: { name: 'db' } },
      controller: { namespaces: ['a', 'a', 'B_'] },
      gitTargetController: { namespaces: ['*', 'b'] },
      nameOverride: '-x',
      commonLabels: { 'app.kubernetes.io/name': 'x' },
      controllers: { podLabels: { 'app.kubernetes.io/component': 'x' } },
    },
    says: [
      'V06 database.createSecret.enabled',
      'V06 database.secretRef.name',
      'V08 controller.namespaces',
      'V08 controller.namespaces',
      'V08 gitTargetController.namespaces',
      'V07 gitTargetController.namespaces',
      'V09 controller.namespaces',
      'V09 gitTargetController.namespaces',
      'V19 nameOverride',
      'V30 commonLabels',
      'V30 controllers.podLabels',
    ],
  },
  {
    because: 'with a policy every image is pinned, from any source',
    values: {
      imagePolicy: { requireDigest: true },
      image: { digest },
      controllers: { enabled: true, image: { repository: 'example.com/other', tag: 'latest' } },
      controlPlane: { initContainers: [{ name: 'wait', image: 'busybox:1' }] },
      runner: { image: { repository: 'example.com/runner', tag: '1' } },
      runtime: { agentImage: 'example.com:5000/agent' },
      tests: { enabled: true, image: { tag: 'latest' } },
      env: {
        vars: { JANGAR_SCHEDULE_RUNNER_IMAGE: 'example.com/schedule:1' },
        extra: [
          { name: 'JANGAR_AGENT_IMAGE', value: 'example.com/agent:latest' },
          { name: 'OTHER', value: 'example.com/other' },
        ],
      },
    },
    says: [
      'V12 runtime.agentImage',
      // Values derived from runtime.agentImage cannot be overridden by extra, in either Deployment.
      'V05 env.extra[0]',
      'V05 env.extra[0]',
      'V10 env.extra[0].value',
      'V11 env.extra[0].value',
      'V10 controlPlane.initContainers[0].image',
      'V10 env.vars.JANGAR_SCHEDULE_RUNNER_IMAGE',
      'V10 controllers.image',
      'V11 controllers.image',
      'V10 runtime.agentImage',
      'V10 runner.image',
      'V10 tests.image',
      'V11 tests.image',
    ],
  },
  {
    because: 'scaling, budgets and leader election are consistent',
    values: {
      resources: { requests: { memory: null } },
      deploymentStrategy: { rollingUpdate: { maxSurge: '0%' } },
      autoscaling: { enabled: true, minReplicas: 5, targetCPUUtilizationPercentage: null },
      podDisruptionBudget: { enabled: true, maxUnavailable: 0 },
      gitTargetController: {
        enabled: true,
        podDisruptionBudget: { enabled: true, maxUnavailable: 'half' },
      },
      controllers: {
        enabled: true,
        replicaCount: 2,
        leaderElection: { enabled: false, leaseDurationSeconds: 1 },
        minReadySeconds: 600,
        podDisruptionBudget: { enabled: true, minAvailable: 1 },
        lifecycle: { preStop: { sleep: { seconds: 30 } } },
        autoscaling: { enabled: true, targetMemoryUtilizationPercentage: 80 },
      },
    },
    says: [
      'V13 autoscaling.minReplicas',
      'V13 autoscaling',
      'V14 podDisruptionBudget',
      'V13 controllers.autoscaling',
      'V14 controllers.podDisruptionBudget',
      'V14 controllers.podDisruptionBudget',
      'V14 gitTargetController.podDisruptionBudget.maxUnavailable',
      'V15 controllers.leaderElection.enabled',
      'V37 controlPlane.strategy',
      'V37 controllers.strategy',
      'V37 controllers.minReadySeconds',
      'V32 controllers.lifecycle.preStop.sleep',
    ],
  },
  {
    because: 'probes, ports, volumes and objects are complete',
    values: {
      startupProbe: { enabled: false },
      livenessProbe: { path: 'livez', initialDelaySeconds: 0 },
      readinessProbe: { timeoutSeconds: 20 },
      grpc: { port: 8080 },
      env: { vars: { JANGAR_GRPC_PORT: 1234 } },
      extraVolumes: [{ name: 'tmp', emptyDir: {} }],
      extraVolumeMounts: [
        { name: 'gone', mountPath: '/gone' },
        // The operator has a volume of that name, the control plane does not.
        { name: 'state', mountPath: '/state' },
      ],
      metrics: {
        service: { enabled: false },
        serviceMonitor: { enabled: true, renderMode: 'failIfMissing' },
      },
      controlPlane: { extraContainers: [{ name: 'control-plane', image: 'example.com/x:1' }] },
      argocdHooks: { enabled: true, smoke: { name: '' } },
      controllers: { leaderElection: { renewDeadlineSeconds: 15 } },
      extraObjects: [
        { kind: 'ConfigMap' },
        'apiVersion: v1',
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\nkind: ConfigMap\nmetadata: ~\n',
      ],
      controller: { jobTtlSeconds: 1 },
      swarm: { enabled: true },
    },
    says: [
      'V28 controller.jobTtlSeconds',
      'V28 swarm',
      'V16 livenessProbe.path',
      'V16 readinessProbe.timeoutSeconds',
      'V16 livenessProbe.initialDelaySeconds',
      'V18 grpc.port',
      'V18 env.vars.JANGAR_GRPC_PORT',
      'V26 extraVolumes',
      'V26 extraVolumeMounts',
      'V26 extraVolumeMounts',
      'V24 metrics.serviceMonitor.renderMode',
      'V24 metrics.serviceMonitor.enabled',
      'V26 controlPlane.extraContainers',
      'V25 argocdHooks.smoke.agentRun',
      'V25 argocdHooks.smoke.name',
      'V27 extraObjects[0]',
      'V27 extraObjects[1]',
      'V27 extraObjects[2]',
      'V15 controllers.leaderElection',
    ],
  },
  {
    because: 'checksums are named once, are digests, and match what is rendered',
    values: {
      rolloutChecksums: {
        enabled: true,
        strict: true,
        secrets: [
          'a',
          'a',
          { checksum: 'x' },
          'Not_a_name',
          { name: 'agents-database', checksum: 'b'.repeat(64) },
        ],
      },
      reloader: { enabled: true },
      configReload: { mode: 'exit', drainTimeoutSeconds: 30 },
      controllers: { enabled: true, terminationGracePeriodSeconds: 31 },
      gitTargetController: { enabled: true },
      grpc: { enabled: false, probe: { enabled: true } },
      env: { vars: { JANGAR_GRPC_ENABLED: 'true' } },
      database: { url: 'postgres://db.test/agents', createSecret: { enabled: true } },
    },
    says: [
      'V18 grpc.enabled',
      'V18 grpc.probe.enabled',
      'V21 rolloutChecksums.secrets[1]',
      'V21 rolloutChecksums.secrets[2]',
      'V21 rolloutChecksums.secrets[2].checksum',
      'V21 rolloutChecksums.secrets[3]',
      'V21 rolloutChecksums.strict',
      'V21 rolloutChecksums.strict',
      'V22 rolloutChecksums',
      'V33 reloader.enabled',
      'V20 configReload.mode',
      // For the control plane only: the controllers have one second more, and the operator does not reload.
      'V17 configReload.drainTimeoutSeconds',
    ],
  },
  {
    because: 'labels, annotations, ports and variables are valid for the API server',
    values: {
      controllers: { enabled: true, env: { vars: { PORT: 'http' } } },
      gitTargetController: {
        enabled: true,
        serviceAccount: { name: 'agents-gittarget' },
        auditWebhook: { enabled: true, tokenSecret: { name: 'Not_a_name' } },
        env: { vars: { GITTARGET_PORT: 70000, GITTARGET_AUDIT_WEBHOOK_TOKEN_FILE: '/x' } },
      },
      commonLabels: { 'two words': 'x', team: 'a team', nested: { a: 1 } },
      controlPlane: { podAnnotations: { 'checksum/secret/name': 'x' } },
      metrics: { service: { labels: { long: 'a'.repeat(64) } } },
      env: {
        extra: [
          { name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'EMPTY' },
        ],
      },
      ingress: { enabled: true },
      httpRoute: { enabled: true },
      serviceAccount: { name: 'Not_a_name' },
      runnerServiceAccount: { create: true, name: 'agents-gittarget' },
    },
    says: [
      'V18 controllers.env.vars.PORT',
      'V18 gitTargetController.env.vars.GITTARGET_PORT',
      'V39 gitTargetController.auditWebhook.enabled',
      'V39 gitTargetController.env.vars.GITTARGET_AUDIT_WEBHOOK_TOKEN_FILE',
      'V34 commonLabels',
      'V34 commonLabels',
      'V34 commonLabels',
      'V34 controlPlane.podAnnotations',
      'V34 metrics.service.labels',
      'V35 env.extra[0]',
      'V36 ingress.hosts',
      'V36 httpRoute.parentRefs',
      'V19 serviceAccount.name',
      'V19 gitTargetController.auditWebhook.tokenSecret.name',
      'V19 runnerServiceAccount.name',
    ],
  },
  {
    because: 'an API needs a certificate',
    values: { api: { enabled: true }, env: { vars: { JANGAR_API_PORT: 1 } } },
    says: ['V40 api.enabled', 'V40 env.vars.JANGAR_API_PORT'],
  },
  {
    because: 'a store of artifacts needs the API and its own settings',
    values: { artifacts: { store: 's3', s3: { endpoint: 's3' } } },
    says: [
      'V41 artifacts.store',
      'V41 artifacts.store',
      'V41 artifacts.store',
      'V41 artifacts.s3.endpoint',
    ],
  },
  {
    because: 'signing in at a provider needs the API, a client and a database',
    values: { api: { oidc: { issuerUrl: 'https://accounts.example.com' } } },
    says: [
      'V42 api.oidc.issuerUrl',
      'V42 api.oidc.issuerUrl',
      'V42 api.oidc.issuerUrl',
      'V42 api.oidc.issuerUrl',
      'V42 api.oidc.issuerUrl',
    ],
  },
  {
    because: 'traces need an endpoint',
    values: { tracing: { enabled: true } },
    says: ['V38 tracing.otlpEndpoint'],
  },
  {
    because: 'the address of a collector is a URL',
    values: { tracing: { enabled: true, otlpEndpoint: 'collector:4317' } },
    says: ['V38 tracing.otlpEndpoint'],
  },
  {
    because: 'an address must not contain a password',
    values: { tracing: { enabled: true, otlpEndpoint: 'https://u:p@collector.test' } },
    says: ['V38 tracing.otlpEndpoint'],
  },
  {
    because: 'a required database is configured',
    values: { validation: { requireDatabase: true } },
    says: ['V06 validation.requireDatabase'],
  },
])('refused: $because', { timeout }, async ({ values, says }) => {
  const [three, four] = await Promise.all([refusals(values, '3'), refusals(values, '4')])
  expect(four.toSorted()).toEqual(says.toSorted())
  expect(three).toEqual(four)
})
