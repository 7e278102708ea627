import { at, plain, podSpec, type Sample, template } from './sample.ts'

const apps = '/apis/apps/v1/namespaces/default'
const batch = '/apis/batch/v1/namespaces/default'
const autoscaling = '/apis/autoscaling'
const labels = { app: 'a', tier: 'b' }
const selector = {
  matchLabels: labels,
  matchExpressions: [
    { key: 'app', operator: 'In', values: ['z', 'a'] },
    { key: 'old', operator: 'DoesNotExist' },
    { key: 'tier', operator: 'Exists' },
    { key: 'env', operator: 'NotIn', values: ['prod'] },
  ],
}
const replicated = { replicas: 3, selector, template: template(labels) }
const jobPod = { ...podSpec, restartPolicy: 'Never' }
const jobTemplate = { spec: { template: template({}, jobPod) } }

function job(name: string, spec: object, status: object, more: Partial<Sample> = {}): Sample {
  return {
    ...plain(`${batch}/jobs`, name, { spec: { template: template({}, jobPod), ...spec } }),
    status,
    ...more,
  }
}

function ended(type: string): object[] {
  return [
    { type, status: 'True' },
    // A Job may finish only after a condition has announced why.
    { type: type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', status: 'True' },
  ]
}

function autoscaler(name: string, spec: object, status?: object): Sample {
  return {
    ...plain(`${autoscaling}/v2/namespaces/default/horizontalpodautoscalers`, name, {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 5,
        ...spec,
      },
    }),
    ...(status === undefined ? {} : { status: { desiredReplicas: 2, ...status } }),
  }
}

function cpu(target: object): object {
  return { type: 'Resource', resource: { name: 'cpu', target } }
}

export const workloadSamples: readonly Sample[] = [
  {
    ...plain(`${apps}/deployments`, 'web', { spec: replicated }),
    status: { replicas: 4, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
  },
  plain(`${apps}/deployments`, 'fresh', { spec: { ...replicated, replicas: 0 } }),
  {
    ...plain(`${apps}/replicasets`, 'web-1', { spec: replicated }),
    status: { replicas: 4, readyReplicas: 2, availableReplicas: 1 },
  },
  {
    ...plain(`${apps}/statefulsets`, 'db', { spec: { ...replicated, serviceName: 'db' } }),
    status: { replicas: 3, readyReplicas: 1 },
  },
  {
    ...plain(`${apps}/daemonsets`, 'agent', { spec: { selector, template: template(labels) } }),
    status: {
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      numberReady: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
      numberMisscheduled: 0,
    },
  },
  plain(`${apps}/daemonsets`, 'anywhere', {
    spec: {
      selector: { matchLabels: labels },
      template: template(labels, { containers: [{ name: 'c', image: 'i' }] }),
    },
  }),
  plain(
    `${apps}/controllerrevisions`,
    'agent-1',
    { revision: 4, data: {} },
    {
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: '1', controller: true },
      ],
    },
  ),
  plain(`${apps}/controllerrevisions`, 'orphan', { revision: 1, data: {} }),
  plain('/api/v1/namespaces/default/replicationcontrollers', 'rc', {
    spec: { replicas: 2, selector: labels, template: template(labels) },
  }),
  plain('/api/v1/namespaces/default/podtemplates', 'pt', { template: template(labels) }),
  job('fresh', {}, {}),
  job('parallel', { parallelism: 3 }, { startTime: at(30), active: 1 }),
  job('many', { completions: 5, parallelism: 2 }, { startTime: at(4), succeeded: 2 }),
  job(
    'complete',
    { completions: 1 },
    {
      startTime: at(200),
      completionTime: at(30),
      succeeded: 1,
      conditions: ended('Complete'),
    },
  ),
  job('failed', {}, { startTime: at(200), conditions: ended('Failed') }),
  job('suspended', { suspend: true }, { conditions: [{ type: 'Suspended', status: 'True' }] }),
  job('failing', {}, { startTime: at(3), conditions: [{ type: 'FailureTarget', status: 'True' }] }),
  {
    ...plain(
      `${batch}/jobs`,
      'terminating',
      { spec: { template: template({}, jobPod) } },
      { finalizers: ['a.test/hold'] },
    ),
    deleted: true,
  },
  plain(`${batch}/cronjobs`, 'nightly', {
    spec: { schedule: '5 3 * * *', timeZone: 'Etc/UTC', suspend: true, jobTemplate },
  }),
  {
    ...plain(`${batch}/cronjobs`, 'hourly', { spec: { schedule: '0 * * * *', jobTemplate } }),
    status: {
      lastScheduleTime: at(50),
      active: [{ kind: 'Job', name: 'x', namespace: 'default', uid: '1', apiVersion: 'batch/v1' }],
    },
  },
  autoscaler('default-metrics', {}),
  autoscaler(
    'utilization',
    { minReplicas: 2, metrics: [cpu({ type: 'Utilization', averageUtilization: 60 })] },
    {
      currentReplicas: 3,
      currentMetrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', current: { averageUtilization: 41, averageValue: '20m' } },
        },
      ],
    },
  ),
  autoscaler('several', {
    metrics: [
      cpu({ type: 'AverageValue', averageValue: '500m' }),
      {
        type: 'Pods',
        pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '1k' } },
      },
      {
        type: 'External',
        external: { metric: { name: 'queue' }, target: { type: 'Value', value: '30' } },
      },
    ],
  }),
  autoscaler(
    'outside',
    {
      metrics: [
        {
          type: 'External',
          external: {
            metric: { name: 'queue' },
            target: { type: 'AverageValue', averageValue: '30' },
          },
        },
        {
          type: 'Object',
          object: {
            metric: { name: 'hits' },
            describedObject: { apiVersion: 'v1', kind: 'Service', name: 'web' },
            target: { type: 'Value', value: '100' },
          },
        },
      ],
    },
    {
      currentReplicas: 1,
      currentMetrics: [
        {
          type: 'External',
          external: { metric: { name: 'queue' }, current: { averageValue: '7', value: '0' } },
        },
        {
          type: 'Object',
          object: {
            metric: { name: 'hits' },
            describedObject: { kind: 'Service', name: 'web' },
            current: { value: '250m' },
          },
        },
      ],
    },
  ),
  plain(`${autoscaling}/v1/namespaces/default/horizontalpodautoscalers`, 'first-version', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 70,
    },
  }),
  {
    ...plain('/apis/policy/v1/namespaces/default/poddisruptionbudgets', 'percent', {
      spec: { minAvailable: '50%', selector: { matchLabels: labels } },
    }),
    status: { disruptionsAllowed: 2, currentHealthy: 4, desiredHealthy: 2, expectedPods: 4 },
  },
  plain('/apis/policy/v1/namespaces/default/poddisruptionbudgets', 'count', {
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  }),
]
