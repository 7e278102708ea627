import type { KubeObject } from '@agents/kube'
import {
  ApiError,
  badRequest,
  conflict,
  type Status,
  tooManyRequests,
} from '../../endpoints/api-error.ts'
import { copyJson, isJsonObject } from '../../json/json-value.ts'
import type { Resource } from '../../registry/resource.ts'
import type { ActionRequest } from '../../registry/subresource.ts'
import { deleteObject } from '../../rest/delete.ts'
import type { RestEnvironment } from '../../rest/environment.ts'
import { requiredValue, unsupportedValue } from '../../rest/field-errors.ts'
import { secondsTimestamp } from '../../rest/timestamps.ts'
import { updateObject } from '../../rest/update.ts'
import { type Fields, number, ownPart, part, parts, text } from '../fields.ts'
import { viewStrategy } from '../strategy/builtin-strategy.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { isEmptySelector, selectorMatches } from '../validation/label-selector.ts'

type Rest = () => RestEnvironment
type Bound = Pick<ActionRequest, 'namespace' | 'name' | 'body' | 'context'>

const done: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
}

/** POST to `pods/<name>/eviction`: a delete that disruption budgets may refuse. */
export function evict(rest: Rest): (request: ActionRequest) => Promise<KubeObject> {
  return async ({ resource, namespace, name, body, context }) => {
    const environment = rest()
    if (body.metadata.name !== name) {
      throw badRequest('name in URL does not match name in Eviction object')
    }
    refuseDisruption(environment, namespace, name, resource.storagePrefix)
    const options = part(body as BuiltinObject, 'deleteOptions')
    const grace = number(options, 'gracePeriodSeconds')
    const preconditions = part(options, 'preconditions')
    const uid = text(preconditions, 'uid')
    const resourceVersion = text(preconditions, 'resourceVersion')
    await deleteObject(
      environment,
      { resource, strategy: resource.strategy, subresource: 'eviction', namespace, name },
      {
        dryRun: context.dryRun,
        ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
        preconditions: {
          ...(uid === '' ? {} : { uid }),
          ...(resourceVersion === '' ? {} : { resourceVersion }),
        },
      },
      context,
    )
    return done as unknown as KubeObject
  }
}

/** POST to `pods/<name>/binding`: puts the pod on a node. */
export function bind(rest: Rest, pods: () => Resource): (request: Bound) => Promise<KubeObject> {
  return async ({ namespace, name, body, context }) => {
    const resource = pods()
    const node = targetNode(name, body as BuiltinObject)
    const strategy = viewStrategy(resource.strategy, {}, ['spec', 'status'])
    await updateObject(
      rest(),
      { resource, strategy, subresource: 'binding', namespace, name },
      {
        forceCreate: false,
        // A binding leaves no trace of who wrote it.
        managed: true,
        wish: (live) => boundPod(live, name, node, body, context.now),
      },
      context,
    )
    return done as unknown as KubeObject
  }
}

/** Upstream answers with its list of mistakes as with a fault of its own. */
function targetNode(name: string, binding: BuiltinObject): string {
  if (binding.metadata.name !== name) {
    throw badRequest('name in URL does not match name in Binding object')
  }
  const target = part(binding, 'target')
  const kind = text(target, 'kind')
  const node = text(target, 'name')
  const errors = [
    ...(['', 'Node'].includes(kind)
      ? []
      : [unsupportedValue('target.kind', kind, ['Node', '<empty>'])]),
    ...(node === '' ? [requiredValue('target.name', '')] : []),
  ].map(({ field, message }) => `${field}: ${message}`)
  if (errors.length === 0) return node
  throw new ApiError(500, '', errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`)
}

function boundPod(
  live: KubeObject | undefined,
  name: string,
  node: string,
  binding: KubeObject,
  now: Date,
): KubeObject {
  const pod = copyJson(live) as BuiltinObject
  const resource = { group: '', plural: 'pods/binding' }
  const spec = ownPart(pod, 'spec')
  // What the binding says about the pod must be so: it was meant for that one.
  for (const key of ['uid', 'resourceVersion'] as const) {
    const wanted = binding.metadata[key] ?? ''
    if (wanted !== '' && wanted !== pod.metadata[key]) {
      throw conflict(resource, name, `the ${key} of the binding is not that of the pod`)
    }
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(resource, name, `pod ${name} is being deleted, cannot be assigned to a host`)
  }
  const current = text(spec, 'nodeName')
  if (current !== '') {
    const why = `pod ${name} is already assigned to node ${JSON.stringify(current)}`
    throw conflict(resource, name, why)
  }
  if (parts(spec, 'schedulingGates').length > 0) {
    throw conflict(resource, name, `pod ${name} has non-empty .spec.schedulingGates`)
  }
  spec.nodeName = node
  if (binding.metadata.annotations !== undefined) {
    pod.metadata.annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations }
  }
  if (binding.metadata.labels !== undefined) {
    pod.metadata.labels = { ...pod.metadata.labels, ...binding.metadata.labels }
  }
  const status = ownPart(pod, 'status')
  const others = Array.isArray(status.conditions)
    ? status.conditions.filter((one: Fields) => one.type !== 'PodScheduled')
    : []
  status.conditions = [
    ...others,
    {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: secondsTimestamp(now),
    },
  ]
  return pod
}

/** Budgets count what their controller wrote into their status. */
function refuseDisruption(
  { store }: RestEnvironment,
  namespace: string,
  name: string,
  podPrefix: string,
): void {
  const pod = store.get(`${podPrefix}${namespace}/${name}`)?.value as BuiltinObject | undefined
  if (pod === undefined) return
  const phase = text(part(pod, 'status'), 'phase')
  if (phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending') return
  const labels: Fields = { ...pod.metadata.labels }
  const budgets = store
    .list(`/policy/poddisruptionbudgets/${namespace}/`)
    .entries.map(({ value }) => value as BuiltinObject)
    .filter((budget) => selects(part(budget, 'spec').selector, labels))
  if (budgets.length > 1) {
    throw new ApiError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  }
  const [budget] = budgets
  if (budget === undefined) return
  if ((number(part(budget, 'status'), 'disruptionsAllowed') ?? 0) > 0) return
  const refusal = tooManyRequests(
    "Cannot evict pod as it would violate the pod's disruption budget.",
    10,
  )
  throw new ApiError(refusal.code, refusal.reason, refusal.message, {
    causes: [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${budget.metadata.name} ${refusalReason(part(budget, 'status'))}`,
      },
    ],
  })
}

function refusalReason(status: Fields): string {
  const current = number(status, 'currentHealthy') ?? 0
  const desired = number(status, 'desiredHealthy') ?? 0
  if (current <= desired) return `needs ${desired} healthy pods and has ${current} currently`
  return 'does not allow evicting pods currently'
}

function selects(selector: unknown, labels: Fields): boolean {
  if (!isJsonObject(selector)) return false
  return isEmptySelector(selector) || selectorMatches(selector, labels)
}
