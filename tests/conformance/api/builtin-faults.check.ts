import {
  builtinsIn,
  containers,
  dry,
  job,
  labels,
  named,
  once,
  rbac,
  template,
  workload,
} from './builtin-objects.ts'
import type { Fields } from './client.ts'
import { conformance, type Row } from './suite.ts'

conformance('builtin-faults', ({ namespace, sameEach }) => {
  const { core, of, make, pods, jobs, deployments } = builtinsIn(namespace)
  const pod = (what: string, spec: Fields, code = 422): Row =>
    make(`a pod with ${what}`, code, pods, { spec: { containers, ...spec } })
  const container = (what: string, change: Fields, code = 422): Row =>
    pod(what, { containers: [{ name: 'a', image: 'a', ...change }] }, code)
  sameEach([
    pod('no containers', { containers: [] }),
    pod('two containers of one name', { containers: [...containers, ...containers] }),
    pod('an unknown restart policy', { restartPolicy: 'Sometimes' }),
    pod('an unknown DNS policy', { dnsPolicy: 'Odd' }),
    pod('a service account that is not there', { serviceAccountName: 'none' }, 403),
    pod('a node selector that is wrong', { nodeSelector: { 'a b': 'c' } }),
    pod('a volume without a source of a wrong name', { volumes: [{ name: 'A_' }] }),
    pod('a volume twice', {
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'v', emptyDir: {} },
      ],
    }),
    pod('a volume with two sources', {
      volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }],
    }),
    pod('a deadline of zero', { activeDeadlineSeconds: 0 }),
    pod('a negative grace, which becomes one second', { terminationGracePeriodSeconds: -1 }, 201),
    container('no name', { name: '' }),
    container('a name that is no label', { name: 'A_' }),
    container('no image', { image: '' }),
    container('an unknown pull policy', { imagePullPolicy: 'Later' }),
    container('a port out of range', { ports: [{ containerPort: 99999 }] }),
    container('an unknown protocol', { ports: [{ containerPort: 80, protocol: 'Smoke' }] }),
    container('a variable without a name', { env: [{ name: '', value: 'x' }] }),
    container('a variable with two values', {
      env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    }),
    container('a variable of an unknown field', {
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.odd' } } }],
    }),
    container('a mount of nothing', { volumeMounts: [{ name: 'none', mountPath: '/a' }] }),
    container('a request above its limit', {
      resources: { requests: { cpu: '2' }, limits: { cpu: '1' } },
    }),
    container('a negative limit', { resources: { limits: { cpu: '-1' } } }),
    container('a probe without an action', { livenessProbe: {} }),
    container('a probe with two actions', {
      livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } },
    }),
    container('privileges against its will', {
      securityContext: { privileged: true, allowPrivilegeEscalation: false },
    }),
    make('a job without a restart policy', 422, jobs, {
      spec: { template: { spec: { containers } } },
    }),
    make('a job that always restarts', 422, jobs, {
      spec: { template: { spec: { containers, restartPolicy: 'Always' } } },
    }),
    make('a job with negative parallelism', 422, jobs, { spec: { ...job, parallelism: -1 } }),
    make('a job with a selector of its own', 422, jobs, {
      spec: { ...job, selector: { matchLabels: labels } },
    }),
    make('a job with a negative time to live', 422, jobs, {
      spec: { ...job, ttlSecondsAfterFinished: -1 },
    }),
    make('a job without a template', 422, jobs, { spec: {} }),
    make('a cron job with a wrong schedule', 422, of('batch/v1', 'cronjobs'), {
      spec: { schedule: 'often', jobTemplate: { spec: { template: once } } },
    }),
    make('a cron job without a schedule', 422, of('batch/v1', 'cronjobs'), {
      spec: { jobTemplate: { spec: { template: once } } },
    }),
    make('a cron job with an unknown policy', 422, of('batch/v1', 'cronjobs'), {
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: 'Odd',
        jobTemplate: { spec: { template: once } },
      },
    }),
    make('a deployment without a selector', 422, deployments, { spec: { template } }),
    make('a deployment whose selector misses', 422, deployments, {
      spec: { ...workload, selector: { matchLabels: { other: 'x' } } },
    }),
    make('a deployment with negative replicas', 422, deployments, {
      spec: { ...workload, replicas: -1 },
    }),
    make('a deployment with an unknown strategy', 422, deployments, {
      spec: { ...workload, strategy: { type: 'Odd' } },
    }),
    make('a deployment that never restarts', 422, deployments, {
      spec: {
        ...workload,
        template: { metadata: { labels }, spec: { containers, restartPolicy: 'Never' } },
      },
    }),
    make('a deployment without a spec', 422, deployments, {}),
    make('a service without ports', 422, core('services'), { spec: { selector: labels } }),
    make('a service with a wrong port', 422, core('services'), {
      spec: { ports: [{ port: 0 }] },
    }),
    make('a service of an unknown type', 422, core('services'), {
      spec: { type: 'Odd', ports: [{ port: 80 }] },
    }),
    make('a service with two unnamed ports', 422, core('services'), {
      spec: { ports: [{ port: 80 }, { port: 81 }] },
    }),
    make('a secret of a type that needs keys', 422, core('secrets'), {
      type: 'kubernetes.io/tls',
    }),
    make('a secret with a wrong key', 422, core('secrets'), { stringData: { 'a b': 'x' } }),
    make('a secret with no base64', 400, core('secrets'), { data: { a: '%' } }),
    make('a config map with a wrong key', 422, core('configmaps'), { data: { 'a b': 'x' } }),
    make('a config map with a key twice', 422, core('configmaps'), {
      data: { a: 'x' },
      binaryData: { a: 'aGk=' },
    }),
    make('a role without verbs', 422, of(rbac, 'roles'), {
      rules: [{ apiGroups: [''], resources: ['pods'] }],
    }),
    make('a role without resources', 422, of(rbac, 'roles'), {
      rules: [{ apiGroups: [''], verbs: ['get'] }],
    }),
    make('a role with paths', 422, of(rbac, 'roles'), {
      rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
    }),
    make('a binding without a role', 422, of(rbac, 'rolebindings'), { subjects: [] }),
    make('a binding to an unknown kind', 422, of(rbac, 'rolebindings'), {
      roleRef: { kind: 'Odd', name: 'x', apiGroup: 'rbac.authorization.k8s.io' },
    }),
    make('a binding of an unknown subject', 422, of(rbac, 'rolebindings'), {
      roleRef: { kind: 'Role', name: 'x' },
      subjects: [{ kind: 'Odd', name: 'y' }],
    }),
    make('a binding of an account without a namespace', 201, of(rbac, 'rolebindings'), {
      roleRef: { kind: 'Role', name: 'x' },
      subjects: [{ kind: 'ServiceAccount', name: 'y' }],
    }),
    make('a lease with a negative duration', 422, of('coordination.k8s.io/v1', 'leases'), {
      spec: { leaseDurationSeconds: -1 },
    }),
    make('a lease with a wrong time', 400, of('coordination.k8s.io/v1', 'leases'), {
      spec: { renewTime: 'now' },
    }),
    make('a claim without an access mode', 422, core('persistentvolumeclaims'), {
      spec: { resources: { requests: { storage: '1Gi' } } },
    }),
    make('a claim without storage', 422, core('persistentvolumeclaims'), {
      spec: { accessModes: ['ReadWriteOnce'] },
    }),
    make('a budget with both limits', 422, of('policy/v1', 'poddisruptionbudgets'), {
      spec: { minAvailable: 1, maxUnavailable: 1 },
    }),
    make('an autoscaler without a maximum', 422, of('autoscaling/v2', 'horizontalpodautoscalers'), {
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'a' } },
    }),
    make('an ingress without rules', 422, of('networking.k8s.io/v1', 'ingresses'), { spec: {} }),
    make(
      'a network policy with a wrong block',
      422,
      of('networking.k8s.io/v1', 'networkpolicies'),
      { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: 'x' } }] }] } },
    ),
    make('a quota with a wrong resource', 422, core('resourcequotas'), {
      spec: { hard: { odd: '1' } },
    }),
    make('an event of another namespace', 422, core('events'), {
      involvedObject: { kind: 'Pod', name: 'a', namespace: 'other' },
    }),
    [
      'a priority class that is too high',
      422,
      'POST',
      dry('/apis/scheduling.k8s.io/v1/priorityclasses'),
      named('x', { value: 2_000_000_000 }),
    ],
    [
      'a cluster role binding to a role',
      422,
      'POST',
      dry(`/apis/${rbac}/clusterrolebindings`),
      named('x', { roleRef: { kind: 'Role', name: 'x' } }),
    ],
  ])
})
