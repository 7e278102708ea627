import { compareQuantities, parseQuantity, sameJson } from '@agents/kube'
import { copyJson, isJsonObject } from '../../json/json-value.ts'
import { forbiddenValue } from '../../status/field-errors.ts'
import { type Fields, number, ownPart, part, parts, text } from '../fields.ts'
import type { BuiltinObject, KindRules } from '../strategy/kind-rules.ts'
import { podSpecErrors, podTemplateErrors } from '../validation/pod-spec.ts'

export const podRules: KindRules = {
  generation: true,
  statusKeeps: ['deletionTimestamp', 'ownerReferences'],
  prepareForCreate(pod) {
    const spec = ownPart(pod, 'spec')
    pod.status = { phase: 'Pending', qosClass: qualityOfService(spec) }
  },
  validate: (pod) => podSpecErrors(part(pod, 'spec'), 'spec', false),
  validateCreate: (pod) =>
    parts(part(pod, 'spec'), 'ephemeralContainers').length > 0
      ? [forbiddenValue('spec.ephemeralContainers', 'cannot be set on create')]
      : [],
  validateUpdate: (next, old) =>
    sameJson(withoutMutable(next), withoutMutable(old))
      ? []
      : [
          forbiddenValue(
            'spec',
            'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
          ),
        ],
  selectable: {
    'spec.nodeName': inSpec('nodeName'),
    'spec.host': inSpec('nodeName'),
    'spec.restartPolicy': inSpec('restartPolicy'),
    'spec.schedulerName': inSpec('schedulerName'),
    'spec.serviceAccountName': inSpec('serviceAccountName'),
    'spec.hostNetwork': (pod) => String(part(pod, 'spec').hostNetwork === true),
    'status.phase': inStatus('phase'),
    'status.podIP': inStatus('podIP'),
    'status.podIPs': inStatus('podIP'),
    'status.nominatedNodeName': inStatus('nominatedNodeName'),
  },
  deletion: {
    returnsDeleted: true,
    gracefulDeletion(object, requestedSeconds) {
      const pod = object as BuiltinObject
      const spec = part(pod, 'spec')
      const phase = text(part(pod, 'status'), 'phase')
      if (text(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0
      return requestedSeconds ?? number(spec, 'terminationGracePeriodSeconds') ?? 0
    },
  },
}

export const podTemplateRules: KindRules = {
  deletion: { returnsDeleted: true },
  generation: true,
  validate: (template) => podTemplateErrors(part(template, 'template'), 'template'),
}

function qualityOfService(spec: Fields): string {
  const containers = [...parts(spec, 'containers'), ...parts(spec, 'initContainers')]
  const resources = containers.map((container) => part(container, 'resources'))
  const computed = resources.map((one) => ({
    limits: computeResources(part(one, 'limits')),
    requests: computeResources(part(one, 'requests')),
  }))
  const amounts = computed.flatMap(({ limits, requests }) => [limits, requests])
  if (amounts.every((one) => Object.keys(one).length === 0)) return 'BestEffort'
  const guaranteed = computed.every(({ limits, requests }) =>
    ['cpu', 'memory'].every((name) => {
      const limit = limits[name]
      const request = requests[name] ?? limit
      if (limit === undefined || request === undefined) return false
      return compareQuantities(parseQuantity(limit), parseQuantity(request)) === 0
    }),
  )
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

function computeResources(amounts: Fields): Record<string, string> {
  const kept = Object.entries(amounts).filter(
    ([name, amount]) => (name === 'cpu' || name === 'memory') && amount !== '0',
  )
  return Object.fromEntries(kept.map(([name, amount]) => [name, String(amount)]))
}

/** The spec without the mutable fields. */
function withoutMutable(pod: BuiltinObject): unknown {
  const spec: unknown = copyJson(pod.spec)
  if (!isJsonObject(spec)) return spec
  for (const container of [...parts(spec, 'containers'), ...parts(spec, 'initContainers')]) {
    delete container.image
  }
  delete spec.activeDeadlineSeconds
  delete spec.tolerations
  delete spec.schedulingGates
  return spec
}

function inSpec(name: string): (pod: BuiltinObject) => string {
  return (pod) => text(part(pod, 'spec'), name)
}

function inStatus(name: string): (pod: BuiltinObject) => string {
  return (pod) => text(part(pod, 'status'), name)
}
