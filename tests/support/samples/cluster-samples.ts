import { at, plain, type Sample } from './sample.ts'

const core = '/api/v1/namespaces/default'
const networking = '/apis/networking.k8s.io/v1'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const storage = '/apis/storage.k8s.io/v1'
const admission = '/apis/admissionregistration.k8s.io/v1'

function service(name: string, spec: object, status?: object): Sample {
  return {
    ...plain(`${core}/services`, name, { spec: { ports: [{ port: 80 }], ...spec } }),
    ...(status === undefined ? {} : { status }),
  }
}

function event(name: string, rest: object): Sample {
  return plain(`${core}/events`, name, {
    involvedObject: {
      kind: 'Pod',
      name: 'web',
      namespace: 'default',
      fieldPath: 'spec.containers{c}',
    },
    ...rest,
  })
}

function webhook(name: string): object {
  return {
    name: `${name}.a.test`,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
    clientConfig: { url: 'https://127.0.0.1:1/x' },
  }
}

const nodeInfo = {
  kubeletVersion: 'v1.36.4',
  osImage: 'Linux',
  kernelVersion: '6.1',
  containerRuntimeVersion: 'containerd://2',
  architecture: 'amd64',
  bootID: '',
  machineID: '',
  systemUUID: '',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
}

export const clusterSamples: readonly Sample[] = [
  {
    ...plain(
      '/api/v1/nodes',
      'node-a',
      { spec: { unschedulable: true } },
      {
        labels: {
          'node-role.kubernetes.io/worker': '',
          'node-role.kubernetes.io/control-plane': '',
          'kubernetes.io/role': 'extra',
        },
      },
    ),
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'ExternalIP', address: '192.0.2.1' },
      ],
      nodeInfo,
    },
  },
  {
    ...plain('/api/v1/nodes', 'node-b', {}),
    status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
  },
  plain('/api/v1/nodes', 'node-c', {}),
  { ...plain('/api/v1/namespaces', 'leaving', {}), deleted: true },
  plain(`${core}/configmaps`, 'full', { data: { a: '1', b: '2' }, binaryData: { c: 'AA==' } }),
  plain(`${core}/configmaps`, 'empty', {}),
  plain(`${core}/secrets`, 'opaque', { data: { a: 'AA==' } }),
  plain(`${core}/secrets`, 'login', {
    type: 'kubernetes.io/basic-auth',
    stringData: { username: 'u', password: 'p' },
  }),
  plain(`${core}/serviceaccounts`, 'robot', {}),
  plain(`${core}/limitranges`, 'limits', {
    spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] },
  }),
  {
    ...plain(`${core}/resourcequotas`, 'quota', {
      spec: { hard: { pods: '10', 'limits.cpu': '4', 'requests.cpu': '2' } },
    }),
    status: {
      hard: { pods: '10', 'limits.cpu': '4', 'requests.cpu': '2000m', 'limits.memory': '1Gi' },
      used: { pods: '3', 'limits.cpu': '1500m' },
    },
  },
  service('plain', { selector: { app: 'a', b: 'c' } }),
  service('headless', { clusterIP: 'None', ports: [] }),
  service('two-ports', {
    ports: [
      { name: 'a', port: 80, protocol: 'TCP' },
      { name: 'b', port: 53, protocol: 'UDP' },
    ],
    externalIPs: ['192.0.2.9', '192.0.2.8'],
  }),
  service('node-port', { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] }),
  service('outside', { type: 'ExternalName', externalName: 'a.test', ports: [] }),
  service('pending', { type: 'LoadBalancer' }),
  service(
    'balanced',
    { type: 'LoadBalancer', externalIPs: ['192.0.2.7'] },
    {
      loadBalancer: {
        ingress: [
          { hostname: 'z-very-long-host-name.a.test' },
          { ip: '192.0.2.1' },
          { ip: '192.0.2.1' },
        ],
      },
    },
  ),
  plain(`${core}/endpoints`, 'none', {}),
  plain(`${core}/endpoints`, 'many', {
    subsets: [
      {
        addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }],
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
      { addresses: [{ ip: '10.0.0.3' }] },
    ],
  }),
  plain(`${core}/endpoints`, 'six', {
    subsets: [{ addresses: [{ ip: 'fd00::1' }], ports: [{ port: 80 }] }],
  }),
  plain('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', 'bare', {
    addressType: 'IPv4',
    endpoints: [],
  }),
  plain('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', 'full', {
    addressType: 'IPv4',
    ports: [
      { name: 'a', port: 80 },
      { name: 'b' },
      { name: '', protocol: 'UDP' },
      { name: 'd', port: 1 },
    ],
    endpoints: [
      { addresses: ['10.0.0.1'] },
      { addresses: ['10.0.0.2'] },
      { addresses: ['10.0.0.3'] },
      { addresses: ['10.0.0.4'] },
    ],
  }),
  plain(`${networking}/namespaces/default/ingresses`, 'any', {
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  }),
  {
    ...plain(`${networking}/namespaces/default/ingresses`, 'hosts', {
      spec: {
        ingressClassName: 'fast',
        tls: [{ hosts: ['a.test'] }],
        rules: ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'].map((host) => ({ host })),
      },
    }),
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.2' }, { hostname: 'lb.a.test' }] } },
  },
  plain(
    `${networking}/ingressclasses`,
    'fast',
    { spec: { controller: 'a.test/fast' } },
    {
      annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' },
    },
  ),
  plain(`${networking}/ingressclasses`, 'tuned', {
    spec: {
      controller: 'a.test/x',
      parameters: { apiGroup: 'k8s.a.test', kind: 'Tuning', name: 't', scope: 'Cluster' },
    },
  }),
  plain(`${networking}/namespaces/default/networkpolicies`, 'all', { spec: { podSelector: {} } }),
  plain(`${networking}/namespaces/default/networkpolicies`, 'some', {
    spec: {
      podSelector: {
        matchLabels: { a: 'b' },
        matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['2', '1'] }],
      },
    },
  }),
  event('old-style', {
    type: 'Warning',
    reason: 'Failed',
    message: ' it failed \n',
    count: 4,
    source: { component: 'kubelet', host: 'node-a' },
    firstTimestamp: at(90),
    lastTimestamp: at(2),
  }),
  event('bare', { type: 'Normal', reason: 'Seen', message: 'seen' }),
  event('only-first', { reason: 'Seen', firstTimestamp: at(15), source: { component: 'x' } }),
  plain('/apis/events.k8s.io/v1/namespaces/default/events', 'new-style', {
    type: 'Normal',
    reason: 'Started',
    action: 'Start',
    note: 'started',
    eventTime: new Date(Date.now() - 600_000).toISOString().replace('Z', '000Z'),
    reportingController: 'a.test/controller',
    reportingInstance: 'controller-0',
    regarding: { kind: 'Job', name: 'j', namespace: 'default' },
    series: {
      count: 7,
      lastObservedTime: new Date(Date.now() - 60_000).toISOString().replace('Z', '000Z'),
    },
  }),
  {
    ...plain('/api/v1/persistentvolumes', 'pv', {
      spec: {
        capacity: { storage: '10Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        storageClassName: 'fast',
        hostPath: { path: '/x' },
        claimRef: {
          namespace: 'default',
          name: 'bound',
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
        },
      },
    }),
    status: { phase: 'Bound', reason: 'because' },
  },
  {
    ...plain(`${core}/persistentvolumeclaims`, 'bound', {
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'fast',
        volumeName: 'pv',
        resources: { requests: { storage: '5Gi' } },
      },
    }),
    status: {
      phase: 'Bound',
      accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'],
      capacity: { storage: '10Gi' },
    },
  },
  {
    ...plain(
      `${core}/persistentvolumeclaims`,
      'leaving',
      {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
      },
      {
        finalizers: ['a.test/hold'],
        annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' },
      },
    ),
    deleted: true,
  },
  plain(
    `${storage}/storageclasses`,
    'fast',
    {
      provisioner: 'a.test/p',
      allowVolumeExpansion: true,
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    {
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
  ),
  plain(`${storage}/storageclasses`, 'slow', { provisioner: 'a.test/q' }),
  plain(`${storage}/csidrivers`, 'd.a.test', {
    spec: { tokenRequests: [{ audience: 'x' }], volumeLifecycleModes: ['Ephemeral', 'Persistent'] },
  }),
  plain(`${storage}/csinodes`, 'node-a', {
    spec: { drivers: [{ name: 'd.a.test', nodeID: 'n' }] },
  }),
  plain(`${storage}/namespaces/default/csistoragecapacities`, 'cap', {
    storageClassName: 'fast',
    capacity: '1Gi',
  }),
  plain(`${storage}/namespaces/default/csistoragecapacities`, 'none', { storageClassName: 'fast' }),
  plain(`${storage}/volumeattachments`, 'att', {
    spec: { attacher: 'd.a.test', nodeName: 'node-a', source: { persistentVolumeName: 'pv' } },
  }),
  plain(`${storage}/volumeattributesclasses`, 'gold', {
    driverName: 'd.a.test',
    parameters: { a: 'b' },
  }),
  plain(`${rbac}/namespaces/default/roles`, 'reader', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  }),
  plain(`${rbac}/namespaces/default/rolebindings`, 'readers', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [
      { kind: 'User', name: 'u1', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'User', name: 'u2', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'ServiceAccount', name: 'robot', namespace: 'default' },
    ],
  }),
  plain('/apis/coordination.k8s.io/v1/namespaces/default/leases', 'held', {
    spec: { holderIdentity: 'me' },
  }),
  plain('/apis/coordination.k8s.io/v1/namespaces/default/leases', 'free', {}),
  plain('/apis/scheduling.k8s.io/v1/priorityclasses', 'high', {
    value: 1000,
    globalDefault: true,
    preemptionPolicy: 'Never',
  }),
  plain('/apis/node.k8s.io/v1/runtimeclasses', 'sandboxed', { handler: 'box' }),
  plain('/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations', 'agents', {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  }),
  plain('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', 'agents', {
    spec: {
      priorityLevelConfiguration: { name: 'agents' },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name: 'agents' } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
        },
      ],
    },
  }),
  plain(`${admission}/validatingwebhookconfigurations`, 'hooks', {
    webhooks: [webhook('a'), webhook('b')],
  }),
  plain(`${admission}/mutatingwebhookconfigurations`, 'hooks', { webhooks: [webhook('a')] }),
  plain(`${admission}/validatingadmissionpolicies`, 'policy', {
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['x.test'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] },
        ],
      },
      validations: [{ expression: 'true' }],
    },
  }),
  plain(`${admission}/validatingadmissionpolicybindings`, 'binding', {
    spec: {
      policyName: 'policy',
      validationActions: ['Deny'],
      paramRef: { name: 'p', parameterNotFoundAction: 'Allow' },
    },
  }),
  plain(`${admission}/validatingadmissionpolicybindings`, 'bare', {
    spec: { policyName: 'policy', validationActions: ['Deny'] },
  }),
  plain('/apis/apiregistration.k8s.io/v1/apiservices', 'v1.x.test', {
    spec: {
      group: 'x.test',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { namespace: 'default', name: 'gone' },
      insecureSkipTLSVerify: true,
    },
  }),
]
