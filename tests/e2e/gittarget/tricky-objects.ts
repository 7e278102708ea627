import { plain, podSpec, type Sample, template } from '../../support/samples/sample.ts'

const core = '/api/v1/namespaces/default'
const admission = '/apis/admissionregistration.k8s.io/v1'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const containers = [{ name: 'c', image: 'i' }]

/** Fields that a mirror is likely to lose, or to keep although it must not. */
export const trickyObjects: readonly Sample[] = [
  plain(`${core}/configmaps`, 'frozen', { immutable: true, data: { a: '1' } }),
  plain(`${core}/secrets`, 'frozen', { immutable: true, data: { a: 'cGxhaW50ZXh0LWE=' } }),
  plain(`${core}/configmaps`, 'yaml', { data: yamlTraps() }),
  plain(`${core}/configmaps`, 'control', { data: controlCharacters() }),
  plain(`${core}/secrets`, 'yaml', { stringData: { ...yamlTraps(), ...controlCharacters() } }),
  plain(`${core}/configmaps`, 'bytes', {
    binaryData: { all: Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('base64') },
  }),
  plain(
    `${core}/configmaps`,
    'annotated',
    { data: {} },
    {
      labels: { yes: 'no', '1': '2', 'a.test/null': 'null' },
      annotations: { 'a.test/multi': 'one\ntwo\n', 'a.test/date': '2026-01-02', 'a.test/e': '1e3' },
    },
  ),
  plain(`${core}/services`, 'headless-stateful', {
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, ports: [{ port: 1 }] },
  }),
  plain(`${core}/services`, 'local-balancer', {
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      sessionAffinity: 'ClientIP',
      allocateLoadBalancerNodePorts: true,
      ports: [{ name: 'http', port: 80, targetPort: 'web' }],
    },
  }),
  plain(`${core}/services`, 'local-traffic', {
    spec: { internalTrafficPolicy: 'Local', ports: [{ port: 80, targetPort: 8080 }] },
  }),
  plain(`${core}/serviceaccounts`, 'puller', {
    automountServiceAccountToken: false,
    imagePullSecrets: [{ name: 'registry' }],
    secrets: [{ name: 'puller-own' }],
  }),
  plain(`${rbac}/clusterroles`, 'gathering', {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a.test/gather': 'true' } }] },
    rules: [],
  }),
  plain(
    `${rbac}/clusterroles`,
    'gathered',
    { rules: [{ apiGroups: ['a.test'], resources: ['things'], verbs: ['*'] }] },
    { labels: { 'a.test/gather': 'true' } },
  ),
  plain(`${rbac}/clusterroles`, 'urls', { rules: [{ nonResourceURLs: ['/x/*'], verbs: ['get'] }] }),
  plain(`${rbac}/clusterrolebindings`, 'all', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gathered' },
    subjects: [{ kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' }],
  }),
  plain('/apis/batch/v1/namespaces/default/jobs', 'by-hand', {
    spec: {
      manualSelector: true,
      suspend: true,
      selector: { matchLabels: { mine: 'yes' } },
      template: template({ mine: 'yes' }, { ...podSpec, restartPolicy: 'Never' }),
    },
  }),
  plain('/apis/batch/v1/namespaces/default/jobs', 'labelled', {
    spec: {
      suspend: true,
      backoffLimit: 0,
      template: template({ mine: 'yes' }, { restartPolicy: 'Never', containers }),
    },
  }),
  plain('/apis/apps/v1/namespaces/default/statefulsets', 'with-claims', {
    spec: {
      serviceName: 'x',
      selector: { matchLabels: { a: 'b' } },
      template: template({ a: 'b' }),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  }),
  plain(`${core}/pods`, 'alone', {
    spec: {
      containers: [{ name: 'c', image: 'i', args: ['yes', '0x1', '~', '- a', '# b'] }],
      terminationGracePeriodSeconds: 0,
    },
  }),
  plain('/api/v1/namespaces', 'another', {}),
  plain('/api/v1/persistentvolumes', 'free', {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/x' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['a'] }],
            },
          ],
        },
      },
    },
  }),
  plain('/apis/networking.k8s.io/v1/servicecidrs', 'more', { spec: { cidrs: ['10.99.0.0/24'] } }),
  plain(
    '/apis/networking.k8s.io/v1/ipaddresses',
    '10.99.0.7',
    {
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'by-hand' } },
    },
    { labels: { 'ipaddress.kubernetes.io/managed-by': 'somebody' } },
  ),
  plain(`${admission}/mutatingadmissionpolicies`, 'labels', {
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['x.test'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] },
        ],
      },
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: {
            expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}',
          },
        },
      ],
    },
  }),
  plain(`${admission}/mutatingadmissionpolicybindings`, 'labels', {
    spec: { policyName: 'labels' },
  }),
  plain(`${core}/persistentvolumeclaims`, 'no-class', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
    },
  }),
]

/** Texts that some YAML parsers do not read as text. */
export function yamlTraps(): Record<string, string> {
  const values = [
    ...[
      'yes',
      'No',
      'on',
      'OFF',
      'y',
      'N',
      'true',
      'False',
      'null',
      '~',
      'NULL',
      '.nan',
      '.inf',
      '-.Inf',
    ],
    ...[
      '0',
      '00',
      '0777',
      '0o17',
      '0x1F',
      '1_000',
      '1e3',
      '1.10',
      '.5',
      '+1',
      '-0',
      '12:30:45',
      '190:20:30',
    ],
    ...['2026-01-02', '2026-01-02T03:04:05Z', '2001-12-14t21:59:43.10-05:00', '=', '<<', '!!str x'],
    ...[
      '- a',
      '? b',
      ': c',
      'a: b',
      'a #b',
      '# c',
      '&a',
      '*a',
      '!t',
      '|',
      '>',
      '%x',
      '@x',
      '`x',
      '{a',
      '[b',
    ],
    ...[
      '',
      ' ',
      '  lead',
      'trail  ',
      '\ttab',
      'tab\t',
      '\n',
      '\n\n',
      'a\n',
      'a\n\n',
      '\na',
      ' \na',
      'a\n b\n',
    ],
    ...['a\r\nb', '\r', 'a\\b', '"', "'", '\'"', '\u0085', '\u2028', '\u2029', '\u00a0', '\u200b'],
    ...['---', '--- a', '...', '---\na: b\n', 'a\n---\nb\n', 'a\n...\nb'],
    ...['😀', 'é', 'e\u0301', '\ufffd', 'x'.repeat(5000), `${'y'.repeat(200)} `.repeat(30)],
    ...[
      '#\n',
      '# a\n  b\n',
      'a\n#b\n',
      'a:\n  - b\n',
      'ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]',
    ],
    ...[
      'sops:\n  mac: x\n',
      `$${'{x}'}`,
      '{{ .x }}',
      '$(x)',
      'AGE',
      '9007199254740993',
      '1'.repeat(400),
    ],
  ]
  const entries = values.map((value, index) => [`k${index}`, value])
  const names = [
    'yes',
    'No',
    'null',
    'true',
    '1',
    '0x1',
    '1e3',
    '2026-01-02',
    '.5',
    '-',
    '.nan',
    'on',
  ]
  return Object.fromEntries([...entries, ...names.map((name) => [name, name])])
}

/** Texts that server-side apply cannot carry: servers parse its body as YAML, which does not allow them unescaped. */
function controlCharacters(): Record<string, string> {
  const values = ['\ufeff', '\u0000', '\u0007', '\u001b[31m', '\u007f', '\ufffe', 'a\u0001\nb\n']
  return Object.fromEntries(values.map((value, index) => [`c${index}`, value]))
}
