import type { KubeObject } from '@agents/kube'
import { copyJson } from '../../json/json-value.ts'
import { secondsTimestamp } from '../../metadata/timestamps.ts'
import type { ActionRequest, Resource } from '../../registry/resource.ts'
import { noAdmission } from '../../rest/admission.ts'
import type { RestEnvironment } from '../../rest/environment.ts'
import { updateObject } from '../../rest/update.ts'
import { ApiError, badRequest, conflict } from '../../status/api-error.ts'
import { requiredValue, unsupportedValue } from '../../status/field-errors.ts'
import { type Fields, ownPart, part, parts, text } from '../fields.ts'
import { viewStrategy } from '../strategy/builtin-strategy.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { actionDone } from './action-done.ts'

type Rest = () => RestEnvironment
type Bound = Pick<ActionRequest, 'namespace' | 'name' | 'body' | 'context'>

/** Handles POST to `pods/<name>/binding`, which assigns the pod to a node. */
export function bind(rest: Rest, pods: () => Resource): (request: Bound) => Promise<KubeObject> {
  return async ({ namespace, name, body, context }) => {
    const resource = pods()
    const node = targetNode(name, body as BuiltinObject)
    const strategy = viewStrategy(resource.strategy, {}, ['spec', 'status'])
    await updateObject(
      // The Binding has already been admitted.
      { ...rest(), admission: noAdmission },
      { resource, strategy, subresource: 'binding', namespace, name },
      {
        forceCreate: false,
        // Bindings are not recorded in managedFields.
        managed: true,
        desired: (live) => boundPod(live, name, node, body, context.now),
      },
      context,
    )
    return actionDone()
  }
}

/** Like upstream, reports validation errors as an internal error. */
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
  // The uid and resourceVersion of the Binding are preconditions for the pod.
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
