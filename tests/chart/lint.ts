import { at, listAt, type RenderedObject } from '@agents/chart-tools'
import { annotationsOf, containersOf, labelsOf, podOf } from '../support/chart/workload.ts'

type Objects = readonly RenderedObject[]
type Lint = (objects: Objects) => readonly string[]

/** Finds objects that render and pass "helm lint", but are rejected by the API server or behave unexpectedly. */
export function lint(objects: Objects): readonly string[] {
  return Object.entries(lints).flatMap(([name, check]) =>
    check(objects).map((problem) => `${name}: ${problem}`),
  )
}

const admissionPolicies = ['Validating', 'Mutating'].flatMap((type) => [
  `${type}AdmissionPolicy`,
  `${type}AdmissionPolicyBinding`,
])
const clusterScoped = ['ClusterRole', 'ClusterRoleBinding', 'Namespace', ...admissionPolicies]
const frozen = ['app.kubernetes.io/name', 'app.kubernetes.io/instance']

function named({ kind, metadata }: RenderedObject) {
  return `${kind} ${metadata.name}`
}

function workloads(objects: Objects) {
  return objects.filter((object) => podOf(object) !== undefined)
}

function hooks(objects: Objects) {
  return objects.filter(({ kind }) => kind === 'Pod' || kind === 'Job')
}

const qualified =
  /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/

const lints: Readonly<Record<string, Lint>> = {
  'variables once': (objects) =>
    workloads(objects).flatMap((object) =>
      containersOf(object).flatMap((container) => {
        const names = listAt(container, 'env').map((entry) => at(entry, 'name'))
        return names
          .filter((name, index) => names.indexOf(name) !== index)
          .map((name) => `${named(object)} has ${name} twice`)
      }),
    ),
  'no scientific notation': (objects) =>
    objects.filter((object) => /"-?\d(\.\d+)?e\+\d+"/.test(JSON.stringify(object))).map(named),
  'legal annotations and labels': (objects) =>
    objects.flatMap((object) =>
      [object, podOf(object)].flatMap((part) =>
        [
          ...[...Object.keys(annotationsOf(part)), ...Object.keys(labelsOf(part))].filter(
            (key) => !qualified.test(key),
          ),
          ...Object.values(labelsOf(part)).filter((value) => !labelValue.test(value)),
        ].map((text) => `${named(object)} has ${text}`),
      ),
    ),
  'text in names, annotations and labels': (objects) =>
    objects.flatMap((object) =>
      [object.metadata, at(podOf(object), 'metadata'), at(podOf(object), 'spec')].flatMap((part) =>
        [
          ...['name', 'namespace', 'serviceAccountName'].map((key) => at(part, key)),
          ...Object.values(at(part, 'annotations') ?? {}),
          ...Object.values(at(part, 'labels') ?? {}),
        ]
          .filter((value) => value !== undefined && typeof value !== 'string')
          .map((value) => `${named(object)} has ${value}`),
      ),
    ),
  'a namespace': (objects) =>
    objects
      .filter(({ kind, metadata }) => !clusterScoped.includes(kind) && !metadata.namespace)
      .map(named),
  'names of 63 characters': (objects) =>
    objects
      .filter(({ kind, metadata }) => {
        // No label or host name is derived from a policy.
        const longest = admissionPolicies.includes(kind) ? 253 : 63
        return metadata.name.length > longest
      })
      .map(named),
  'each object once': (objects) => {
    const names = objects.map((object) => `${named(object)} ${object.metadata.namespace}`)
    return names.filter((name, index) => names.indexOf(name) !== index)
  },
  'frozen selectors': (objects) =>
    [...selectors(objects)]
      .filter(([, selector]) => Object.keys(selector).sort().join() !== [...frozen].sort().join())
      .map(([name]) => name),
  'one Deployment for a selector': (objects) =>
    [...selectors(objects)].flatMap(([name, selector]) => {
      const selected = workloads(objects).filter((object) => matches(podOf(object), selector))
      return selected.length === 1 && selected[0]?.kind === 'Deployment'
        ? []
        : [`${name} selects ${selected.map(named).join(', ') || 'nothing'}`]
    }),
  'no traffic to hooks': (objects) =>
    hooks(objects).flatMap((object) =>
      [...selectors(objects)]
        .filter(([, selector]) => matches(podOf(object), selector))
        .map(([name]) => `${name} selects ${named(object)}`),
    ),
  'restricted pods': (objects) => workloads(objects).flatMap(unrestricted),
  'ports that exist': (objects) =>
    objects
      .filter(({ kind }) => kind === 'Service')
      .flatMap((service) => {
        const selector = (at(service, 'spec', 'selector') ?? {}) as Record<string, string>
        const ports = workloads(objects)
          .filter((object) => matches(podOf(object), selector))
          .flatMap(containersOf)
          .flatMap((container) => listAt(container, 'ports').map((port) => at(port, 'name')))
        return listAt(service, 'spec', 'ports')
          .filter((port) => !ports.includes(at(port, 'targetPort')))
          .map((port) => `${named(service)} leads to ${at(port, 'targetPort')}`)
      }),
  'ports that probes find': (objects) =>
    workloads(objects).flatMap((object) =>
      containersOf(object).flatMap((container) => {
        const ports = listAt(container, 'ports').flatMap((port) => [
          at(port, 'name'),
          at(port, 'containerPort'),
        ])
        return ['startupProbe', 'livenessProbe', 'readinessProbe']
          .flatMap((probe) => ['httpGet', 'grpc'].map((way) => at(container, probe, way, 'port')))
          .filter((port) => port !== undefined && !ports.includes(port))
          .map((port) => `${named(object)} asks ${port}`)
      }),
    ),
  'accounts that exist': (objects) =>
    workloads(objects)
      .map((object) => [object, at(podOf(object), 'spec', 'serviceAccountName')] as const)
      .filter(([, account]) => account !== undefined && !has(objects, 'ServiceAccount', account))
      .map(([object, account]) => `${named(object)} runs as ${account}`),
  'roles that exist': (objects) =>
    objects
      .filter(({ kind }) => kind.endsWith('RoleBinding'))
      .filter(
        (binding) =>
          !has(objects, String(at(binding, 'roleRef', 'kind')), at(binding, 'roleRef', 'name')),
      )
      .map(named),
  'no wildcards in roles': (objects) =>
    rules(objects)
      .filter(([, rule]) => JSON.stringify(rule).includes('"*"'))
      .map(([name]) => name),
  'no dangerous verbs': (objects) =>
    rules(objects)
      .filter(([, rule]) =>
        listAt(rule, 'verbs').some((verb) =>
          ['escalate', 'bind', 'impersonate'].includes(String(verb)),
        ),
      )
      .filter(([, rule]) => !isForSignIns(objects, rule))
      .map(([name]) => name),
  'Secrets listed by those alone who watch them': (objects) => {
    const split = objects.some(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-controllers'),
    )
    const watchers = split ? /-(controllers|gittarget)$/ : /(^|-)(agents|gittarget)$/
    return rules(objects)
      .filter(([name]) => !watchers.test(name.split(' ')[1] ?? ''))
      .filter(([, rule]) => listAt(rule, 'resources').includes('secrets'))
      .filter(([, rule]) => {
        const verbs = listAt(rule, 'verbs')
        // A watch restricted to names, without list, exposes only those objects.
        const isNarrow = listAt(rule, 'resourceNames').length > 0
        return verbs.includes('list') || (verbs.includes('watch') && !isNarrow)
      })
      .map(([name]) => name)
  },
  'pinned images': (objects) =>
    workloads(objects).flatMap((object) =>
      containersOf(object)
        .filter(
          (container) => !/(:[^/:]+|@sha256:[a-f0-9]{64})$/.test(String(at(container, 'image'))),
        )
        .map((container) => `${named(object)} runs ${at(container, 'image')}`),
    ),
}

/** The selectors that determine which pods an object applies to. */
function* selectors(objects: Objects): Generator<[name: string, Record<string, string>]> {
  const paths: Record<string, readonly string[]> = {
    Deployment: ['spec', 'selector', 'matchLabels'],
    NetworkPolicy: ['spec', 'podSelector', 'matchLabels'],
    PodDisruptionBudget: ['spec', 'selector', 'matchLabels'],
    Service: ['spec', 'selector'],
  }
  for (const object of objects) {
    const path = paths[object.kind]
    if (path && !selectsRuns(object))
      yield [named(object), (at(object, ...path) ?? {}) as Record<string, string>]
  }
}

/** Whether the object selects the pods of runs, which controllers create and whose label no pod of the chart has. */
function selectsRuns(object: RenderedObject): boolean {
  return listAt(object, 'spec', 'podSelector', 'matchExpressions').some(
    (expression) =>
      at(expression, 'key') === 'agents.proompteng.ai/attempt' &&
      at(expression, 'operator') === 'Exists',
  )
}

function matches(pod: unknown, selector: Readonly<Record<string, string>>): boolean {
  const labels = labelsOf(pod)
  return Object.entries(selector).every(([key, value]) => labels[key] === value)
}

function has(objects: Objects, kind: string, name: unknown): boolean {
  return objects.some((object) => object.kind === kind && object.metadata.name === name)
}

/** Whether it lets the control plane act as people who sign in: as users and as named groups, none of Kubernetes. */
function isForSignIns(objects: Objects, rule: unknown): boolean {
  const names = listAt(rule, 'resourceNames').map(String)
  const isNarrow = names.length > 0 && names.every((name) => !name.startsWith('system:'))
  const resources = listAt(rule, 'resources').join()
  return (
    JSON.stringify(objects).includes('JANGAR_OIDC_ISSUER_URL') &&
    listAt(rule, 'verbs').join() === 'impersonate' &&
    (resources === 'users' || (resources === 'groups' && isNarrow))
  )
}

function rules(objects: Objects): readonly (readonly [string, unknown])[] {
  return objects
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    .flatMap((role) => listAt(role, 'rules').map((rule) => [named(role), rule] as const))
}

const volumeKinds = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

/** Violations of the restricted Pod Security Standard or of a read-only root file system. */
function unrestricted(object: RenderedObject): readonly string[] {
  const spec = at(podOf(object), 'spec')
  const problems = [
    at(spec, 'securityContext', 'runAsNonRoot') === true ? '' : 'may run as root',
    at(spec, 'securityContext', 'runAsUser') === 0 ? 'runs as root' : '',
    at(spec, 'securityContext', 'seccompProfile', 'type') === 'RuntimeDefault'
      ? ''
      : 'has no seccomp profile',
    ...['hostNetwork', 'hostPID', 'hostIPC'].map((key) => (at(spec, key) ? `has ${key}` : '')),
    ...listAt(spec, 'volumes').map((volume) =>
      Object.keys(volume as object).every((key) => key === 'name' || volumeKinds.includes(key))
        ? ''
        : `has the volume ${at(volume, 'name')}`,
    ),
    ...containersOf(object).flatMap((container) => [
      at(container, 'securityContext', 'allowPrivilegeEscalation') === false
        ? ''
        : 'may gain privileges',
      listAt(container, 'securityContext', 'capabilities', 'drop').includes('ALL')
        ? ''
        : 'keeps capabilities',
      at(container, 'securityContext', 'readOnlyRootFilesystem') === true
        ? ''
        : 'writes to its root',
      at(container, 'securityContext', 'runAsNonRoot') === false ||
      at(container, 'securityContext', 'runAsUser') === 0
        ? 'lets a container run as root'
        : '',
      at(container, 'securityContext', 'privileged') === true ? 'is privileged' : '',
      listAt(container, 'securityContext', 'capabilities', 'add').some(
        (capability) => capability !== 'NET_BIND_SERVICE',
      )
        ? 'adds capabilities'
        : '',
      at(container, 'securityContext', 'seccompProfile', 'type') === 'Unconfined'
        ? 'has a container without seccomp'
        : '',
      listAt(container, 'ports').some((port) => at(port, 'hostPort') !== undefined)
        ? 'takes a port of the host'
        : '',
      /"host":/.test(
        JSON.stringify(
          ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'].map((key) =>
            at(container, key),
          ),
        ),
      )
        ? 'names a host in a probe'
        : '',
    ]),
  ]
  return problems
    .filter((problem) => problem !== '')
    .map((problem) => `${named(object)} ${problem}`)
}
