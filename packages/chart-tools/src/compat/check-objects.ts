import {
  at,
  type ChartSnapshot,
  type Finding,
  identity,
  listAt,
  type Pair,
  type RenderedObject,
  same,
  survivors,
} from './chart-snapshot.ts'

/** Objects that later versions add to the default render, by identity. */
type AllowedAdditions = readonly string[]

/** C1: the same values give the same objects. C2: an upgrade adds no objects that were not requested. */
export function checkPresence(
  before: ChartSnapshot,
  after: ChartSnapshot,
  allowed: AllowedAdditions,
): readonly Finding[] {
  const gone = Object.entries(before.profiles).flatMap(([profile, objects]) => {
    const now = new Set((after.profiles[profile] ?? []).map(identity))
    return objects
      .map(identity)
      .filter((subject) => !now.has(subject))
      .map((subject) => finding('C1', subject, `it was removed or renamed (${profile})`))
  })
  const then = new Set((before.profiles.default ?? []).map(identity))
  const added = (after.profiles.default ?? [])
    .map(identity)
    .filter((subject) => !then.has(subject) && !allowed.includes(subject))
    .map((subject) =>
      finding(
        'C2',
        subject,
        'it is new in the default rendering: render it only if a flag that defaults to false is set',
      ),
    )
  return [...gone, ...added]
}

const frozenFields: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Deployment: [['spec', 'selector']],
  StatefulSet: [
    ['spec', 'selector'],
    ['spec', 'serviceName'],
    ['spec', 'volumeClaimTemplates'],
  ],
  Job: [
    ['spec', 'template'],
    ['spec', 'selector'],
  ],
  RoleBinding: [['roleRef']],
  ClusterRoleBinding: [['roleRef']],
  PersistentVolumeClaim: [['spec']],
  Service: [
    ['spec', 'selector'],
    ['spec', 'type'],
  ],
  PodDisruptionBudget: [['spec', 'selector']],
  NetworkPolicy: [['spec', 'podSelector']],
}

/** C3: fields that the API server does not allow to change, and fields that select pods. */
export function checkFrozenFields(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  const changed = survivors(before, after).flatMap((pair) =>
    (isRecreated(pair.after) ? [] : (frozenFields[pair.before.kind] ?? []))
      .filter((path) => !same(at(pair.before, ...path), at(pair.after, ...path)))
      .map((path) =>
        finding('C3', `${pair.subject} ${path.join('.')}`, `it changed (${pair.profile})`),
      ),
  )
  const lost = Object.entries(after.profiles).flatMap(([profile, objects]) =>
    objects
      .filter(({ kind }) => kind === 'Service')
      .filter((service) => selectedDeployments(service, objects).length !== 1)
      .map((service) =>
        finding(
          'C3',
          `${identity(service)} spec.selector`,
          `it does not select exactly one Deployment (${profile})`,
        ),
      ),
  )
  return [...changed, ...lost]
}

/** Whether the object is a hook that is recreated for each use, so that it may change. */
function isRecreated({ metadata: { annotations = {} } }: RenderedObject): boolean {
  const policy = annotations['helm.sh/hook-delete-policy'] ?? ''
  return annotations['helm.sh/hook'] !== undefined && policy.includes('before-hook-creation')
}

function selectedDeployments(
  service: RenderedObject,
  objects: readonly RenderedObject[],
): readonly RenderedObject[] {
  const wanted = Object.entries((at(service, 'spec', 'selector') ?? {}) as Record<string, string>)
  return objects.filter(
    (object) =>
      object.kind === 'Deployment' &&
      object.metadata.namespace === service.metadata.namespace &&
      wanted.every(
        ([key, value]) => at(object, 'spec', 'template', 'metadata', 'labels', key) === value,
      ),
  )
}

const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const
const handlers = ['exec', 'grpc', 'httpGet', 'tcpSocket'] as const

/** C4: what Services, monitors and users rely on: ports, containers, probes and the service account of pods. */
export function checkPodInterfaces(
  before: ChartSnapshot,
  after: ChartSnapshot,
): readonly Finding[] {
  return [...servicePorts(before, after), ...podInterfaces(before, after)]
}

/** Clients use the port number, other objects the port name. */
function servicePorts(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return survivors(before, after)
    .filter((pair) => pair.before.kind === 'Service')
    .flatMap((pair) =>
      listAt(pair.before, 'spec', 'ports')
        .filter((port) => !listAt(pair.after, 'spec', 'ports').some((other) => same(port, other)))
        .map((port) =>
          finding('C4', `${pair.subject} port ${at(port, 'name')}`, `it changed (${pair.profile})`),
        ),
    )
}

function podInterfaces(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return deployments(before, after).flatMap((pair) => [
    ...accountChange(pair),
    ...containersOf(pair.before).flatMap((container) => {
      const name = String(at(container, 'name'))
      const now = containersOf(pair.after).find((other) => at(other, 'name') === name)
      const about = `${pair.subject} container ${name}`
      if (now === undefined)
        return [finding('C4', about, `it was removed or renamed (${pair.profile})`)]
      return [
        ...listAt(container, 'ports')
          .filter((port) => !listAt(now, 'ports').some((other) => same(port, other)))
          .map((port) =>
            finding('C4', `${about} port ${at(port, 'name')}`, `it changed (${pair.profile})`),
          ),
        ...probes
          .filter((probe) =>
            handlers.some(
              (handler) => !same(at(container, probe, handler), at(now, probe, handler)),
            ),
          )
          .map((probe) =>
            finding(
              'C4',
              `${about} ${probe}`,
              `the handler of the probe changed (${pair.profile})`,
            ),
          ),
      ]
    }),
  ])
}

function accountChange({ before, after, subject, profile }: Pair): readonly Finding[] {
  const path = ['spec', 'template', 'spec', 'serviceAccountName']
  if (at(before, ...path) === at(after, ...path)) return []
  return [finding('C4', `${subject} serviceAccountName`, `it changed (${profile})`)]
}

/** C5: a variable that was removed or changed alters the behaviour without a change of values. */
export function checkEnvironment(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return [
    ...unreadVariables(before, after),
    ...unloadedSources(before, after),
    ...variableChanges(before, after),
  ]
}

/** Variables that a process no longer reads, which users may set although the chart does not. */
function unreadVariables(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return Object.entries(before.variables).flatMap(([process, names]) =>
    names
      .filter((name) => !after.variables[process]?.includes(name))
      .map((name) =>
        finding('C5', `${process} variable ${name}`, 'the process no longer reads it'),
      ),
  )
}

/** Secrets and ConfigMaps whose variables are no longer loaded. */
function unloadedSources(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return deployments(before, after).flatMap((pair) => {
    const now = containersOf(pair.after).flatMap((container) => listAt(container, 'envFrom'))
    return containersOf(pair.before)
      .flatMap((container) => listAt(container, 'envFrom'))
      .filter((source) => !now.some((other) => same(source, other)))
      .map((source) => {
        const name = at(source, 'secretRef', 'name') ?? at(source, 'configMapRef', 'name')
        return finding(
          'C5',
          `${pair.subject} envFrom ${name}`,
          `it was removed or changed (${pair.profile})`,
        )
      })
  })
}

function variableChanges(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return deployments(before, after).flatMap((pair) =>
    containersOf(pair.before).flatMap((container) => {
      const now = containersOf(pair.after).find(
        (other) => at(other, 'name') === at(container, 'name'),
      )
      return listAt(container, 'env').flatMap((entry) => {
        const name = String(at(entry, 'name'))
        const successor = listAt(now, 'env').find((other) => at(other, 'name') === name)
        if (
          same(entry, successor) ||
          (isOwnImage(container, entry) && isOwnImage(now, successor))
        ) {
          return []
        }
        const problem = successor === undefined ? 'it was removed' : 'its default changed'
        return [finding('C5', `${pair.subject} env ${name}`, `${problem} (${pair.profile})`)]
      })
    }),
  )
}

/** Whether the variable is the image of its container, which every release changes. */
function isOwnImage(container: unknown, entry: unknown): boolean {
  const value = at(entry, 'value')
  return value !== undefined && value === at(container, 'image')
}

function deployments(before: ChartSnapshot, after: ChartSnapshot): readonly Pair[] {
  return survivors(before, after).filter((pair) => pair.before.kind === 'Deployment')
}

function containersOf(deployment: RenderedObject): readonly unknown[] {
  return listAt(deployment, 'spec', 'template', 'spec', 'containers')
}

function finding(rule: Finding['rule'], subject: string, problem: string): Finding {
  return { rule, subject, problem }
}
