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
export type AllowedAdditions = readonly string[]

/** C1: the same values give the same objects. C2: an upgrade adds none that nobody asked for. */
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
      .map((subject) => finding('C1', subject, `it is gone or renamed (${profile})`))
  })
  const then = new Set((before.profiles.default ?? []).map(identity))
  const added = (after.profiles.default ?? [])
    .map(identity)
    .filter((subject) => !then.has(subject) && !allowed.includes(subject))
    .map((subject) =>
      finding('C2', subject, 'it is new in the default render: put it behind a flag that is false'),
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

/** C3: what the API server refuses to change, and what decides which pods an object means. */
export function checkFrozenFields(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  const changed = survivors(before, after).flatMap((pair) =>
    (isMadeAnew(pair.after) ? [] : (frozenFields[pair.before.kind] ?? []))
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
          `it selects not one Deployment (${profile})`,
        ),
      ),
  )
  return [...changed, ...lost]
}

/** A hook that is deleted before each use may be another one every time. */
function isMadeAnew({ metadata: { annotations = {} } }: RenderedObject): boolean {
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

/** C4: the faces of a pod that Services, monitors and people know. */
export function checkPodFaces(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return [...servicePorts(before, after), ...podFaces(before, after)]
}

/** Clients have the number, other objects the name. */
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

function podFaces(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return deployments(before, after).flatMap((pair) => [
    ...accountChange(pair),
    ...containersOf(pair.before).flatMap((container) => {
      const name = String(at(container, 'name'))
      const now = containersOf(pair.after).find((other) => at(other, 'name') === name)
      const about = `${pair.subject} container ${name}`
      if (now === undefined)
        return [finding('C4', about, `it is gone or renamed (${pair.profile})`)]
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
            finding('C4', `${about} ${probe}`, `it asks elsewhere (${pair.profile})`),
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

/** C5: a variable that is gone or says something else changes behaviour without anybody having changed a value. */
export function checkEnvironment(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
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
        const problem = successor === undefined ? 'it is gone' : 'its default changed'
        return [finding('C5', `${pair.subject} env ${name}`, `${problem} (${pair.profile})`)]
      })
    }),
  )
}

/** It follows the container's image, which every release changes. */
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
