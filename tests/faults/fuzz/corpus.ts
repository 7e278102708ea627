import type { RawRequest } from './raw-request.ts'

const namespace = 'fuzz'
const core = `api/v1/namespaces/${namespace}`
const group = 'fuzz.example.dev'
const widgets = `apis/${group}/v1/namespaces/${namespace}/widgets`

const json = 'application/json'
const merge = 'application/merge-patch+json'
const strategic = 'application/strategic-merge-patch+json'
const jsonPatch = 'application/json-patch+json'
const apply = 'application/apply-patch+yaml'
const table =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json'

type Body = object | string | Buffer

function make(method: string, target: string, body?: Body, type = json, accept = json): RawRequest {
  const [path = '', search = ''] = target.split('?')
  const bytes =
    body === undefined
      ? undefined
      : Buffer.isBuffer(body)
        ? body
        : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return {
    method,
    path: path.split('/'),
    query: [...new URLSearchParams(search)].map(([name, value]) => [
      name,
      encodeURIComponent(value),
    ]),
    headers: [['Accept', accept], ...(bytes ? [['Content-Type', type] as [string, string]] : [])],
    body: bytes,
  }
}

function meta(name: string) {
  return { name, namespace, labels: { app: 'web' } }
}

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...meta('settings'), annotations: { note: 'x' }, finalizers: ['example.dev/hold'] },
  data: { colour: 'blue', size: '7' },
  binaryData: { b: 'AAEC' },
}
const podSpec = {
  containers: [
    {
      name: 'main',
      image: 'web:1',
      ports: [{ containerPort: 80, protocol: 'TCP' }],
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      resources: { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '0.1' } },
      livenessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 5 },
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
    },
  ],
  volumes: [{ name: 'v', configMap: { name: 'settings', items: [{ key: 'a', path: 'a' }] } }],
  tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  restartPolicy: 'Never',
}
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: meta('alone'), spec: podSpec }
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: meta('web'),
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { ...podSpec, restartPolicy: 'Always' },
    },
  },
}
const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { generateName: 'once-', namespace },
  spec: { ttlSecondsAfterFinished: 1, backoffLimit: 2, template: { spec: podSpec } },
}
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta('web'),
  spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
}
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-validations': [{ rule: 'self.replicas >= 0', message: 'no' }],
                properties: {
                  size: { type: 'string', pattern: '^(a+)+$', maxLength: 64 },
                  replicas: { type: 'integer', default: 1 },
                  parts: {
                    type: 'array',
                    maxItems: 10,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, weight: { type: 'number' } },
                    },
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', properties: { replicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
}
const widget = {
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { ...meta('first'), ownerReferences: [] as object[] },
  spec: {
    size: 'aa',
    replicas: 3,
    parts: [{ name: 'p', weight: 1.5 }],
    free: { a: [1, { b: 2 }] },
  },
}
/** `k8s\0`, then a ConfigMap called settings. */
const protobuf = Buffer.from(
  '6b3873000a0f0a0276311209436f6e6669674d617012180a0a0a0873657474696e6773120a0a0261311204626c75651a002200',
  'hex',
)

/** Creates the objects that the corpus refers to; sent again from time to time. */
export const ground: readonly RawRequest[] = [
  make('POST', 'api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  }),
  make('POST', 'apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition),
  // Jobs have generated names and would accumulate.
  make('DELETE', `apis/batch/v1/namespaces/${namespace}/jobs`),
  make('POST', `${core}/configmaps`, configMap),
  make('POST', `${core}/pods`, pod),
  make('POST', `${core}/services`, service),
  make('POST', `apis/apps/v1/namespaces/${namespace}/deployments`, deployment),
  make('POST', widgets, widget),
]

/** A request that must succeed whatever was sent before. */
export const ordinary = make('GET', 'api/v1/namespaces/default')

export const corpus: readonly [RawRequest, ...RawRequest[]] = [
  make('GET', `${core}/configmaps/settings`),
  ...ground,
  make('POST', `apis/batch/v1/namespaces/${namespace}/jobs`, job),
  make('GET', `${core}/configmaps?limit=1`),
  make('GET', `${core}/pods?labelSelector=app in (web,shop),!x&fieldSelector=status.phase=Running`),
  make('GET', 'api/v1/pods?limit=500', undefined, json, table),
  make('GET', `${widgets}?limit=500`, undefined, json, table),
  make(
    'GET',
    `${widgets}?limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAsInN0YXJ0IjoiYSJ9`,
  ),
  make('GET', `${widgets}?resourceVersion=1&resourceVersionMatch=Exact`),
  make('GET', `${widgets}?watch=true&resourceVersion=0&timeoutSeconds=1&allowWatchBookmarks=true`),
  make(
    'GET',
    `${core}/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`,
  ),
  make('GET', `${core}/pods/alone/log?container=main&tailLines=5`),
  make('GET', 'api'),
  make(
    'GET',
    'apis',
    undefined,
    json,
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  ),
  make('GET', `apis/${group}/v1`),
  make('GET', 'openapi/v3'),
  make('GET', `openapi/v3/apis/${group}/v1`),
  make('GET', 'healthz'),
  make('GET', 'metrics'),
  make('PUT', `${core}/configmaps/settings?fieldManager=me&fieldValidation=Strict`, configMap),
  make('PUT', `apis/apps/v1/namespaces/${namespace}/deployments/web`, deployment),
  make('PUT', `${widgets}/first`, { ...widget, metadata: { name: 'first', resourceVersion: '5' } }),
  make('PATCH', `${core}/configmaps/settings`, { data: { colour: null, x: 'y' } }, merge),
  make('PATCH', `${widgets}/first`, { spec: { replicas: 4, parts: null } }, merge),
  make('PATCH', `${widgets}/first/status`, { status: { replicas: 4 } }, merge),
  make('PATCH', `${widgets}/first/scale`, { spec: { replicas: 9 } }, merge),
  make(
    'PATCH',
    `apis/apps/v1/namespaces/${namespace}/deployments/web`,
    {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'main', $patch: 'delete' },
              { name: 'other', image: 'x' },
            ],
            '$setElementOrder/containers': [{ name: 'other' }],
          },
        },
      },
    },
    strategic,
  ),
  make('PATCH', `${core}/pods/alone`, { metadata: { labels: { a: 'b' } } }, strategic),
  make(
    'PATCH',
    `${core}/configmaps/settings`,
    [
      { op: 'add', path: '/data/x', value: '1' },
      { op: 'test', path: '/data/x', value: '1' },
      { op: 'move', from: '/data/x', path: '/data/y' },
      { op: 'copy', from: '/data', path: '/metadata/annotations' },
    ],
    jsonPatch,
  ),
  make(
    'PATCH',
    `${widgets}/first`,
    [{ op: 'replace', path: '/spec/parts/0/weight', value: 7 }],
    jsonPatch,
  ),
  make('PATCH', `${widgets}/first?fieldManager=me&force=true`, widget, apply),
  make(
    'PATCH',
    `${core}/configmaps/settings?fieldManager=me`,
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata: &d\n  a: "1"\n',
    apply,
  ),
  make(
    'POST',
    `${core}/configmaps`,
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata: {a: b}\n',
    'application/yaml',
  ),
  make('POST', `${core}/configmaps`, protobuf, 'application/vnd.kubernetes.protobuf'),
  make('DELETE', `${core}/configmaps/settings`, {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: 'Foreground',
    preconditions: { uid: 'x' },
  }),
  make('DELETE', `${widgets}/first?propagationPolicy=Orphan`),
  make('DELETE', `${widgets}?labelSelector=app=none`),
  make('DELETE', `${core}/pods/alone?gracePeriodSeconds=0`),
  make('POST', `${core}/serviceaccounts/default/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: ['a'], expirationSeconds: 600 },
  }),
  make('POST', `${core}/pods/alone/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'alone' },
  }),
  make('POST', `${core}/pods/alone/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'alone' },
    target: { kind: 'Node', name: 'n' },
  }),
  make('POST', 'apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
  }),
  make('POST', 'apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: 'x.y.z' },
  }),
  make('POST', `apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'b' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', name: 'u' }],
  }),
]
