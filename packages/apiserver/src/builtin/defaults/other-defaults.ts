import { copyJson, isJsonObject } from '../../json/json-value.ts'
import { type Fields, fallBack, ownPart, part, parts, text } from '../fields.ts'
import type { SetDefaults } from '../go-json/defaults.ts'

const rbacGroup = 'rbac.authorization.k8s.io'

/** Defaults of the kinds without pods, by id of the definition. */
export const otherDefaults: Readonly<Record<string, SetDefaults>> = {
  'core.v1.Namespace': (namespace) => {
    const metadata = ownPart(namespace, 'metadata')
    const name = text(metadata, 'name')
    if (name !== '') ownPart(metadata, 'labels')['kubernetes.io/metadata.name'] = name
    fallBack(ownPart(namespace, 'status'), { phase: 'Active' })
  },
  'core.v1.Secret': secretDefaults,
  'core.v1.Service': serviceDefaults,
  'core.v1.EndpointPort': (port) => fallBack(port, { protocol: 'TCP' }),
  'discovery.v1.EndpointPort': (port) => {
    port.name ??= ''
    fallBack(port, { protocol: 'TCP' })
  },
  'core.v1.PersistentVolume': (volume) => {
    fallBack(ownPart(volume, 'spec'), {
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
    })
    fallBack(ownPart(volume, 'status'), { phase: 'Pending' })
  },
  'core.v1.PersistentVolumeClaim': (claim) =>
    fallBack(ownPart(claim, 'status'), { phase: 'Pending' }),
  'core.v1.PersistentVolumeClaimSpec': (spec) => fallBack(spec, { volumeMode: 'Filesystem' }),
  'core.v1.NodeStatus': (status) => {
    if (isJsonObject(status.capacity)) status.allocatable ??= copyJson(status.capacity)
  },
  'core.v1.LimitRangeItem': limitDefaults,
  'rbac.v1.RoleBinding': (binding) =>
    fallBack(ownPart(binding, 'roleRef'), { apiGroup: rbacGroup }),
  'rbac.v1.ClusterRoleBinding': (binding) =>
    fallBack(ownPart(binding, 'roleRef'), { apiGroup: rbacGroup }),
  'rbac.v1.Subject': (subject) => {
    if (subject.kind === 'User' || subject.kind === 'Group') {
      fallBack(subject, { apiGroup: rbacGroup })
    }
  },
  'networking.v1.NetworkPolicy': (policy) => {
    const spec = ownPart(policy, 'spec')
    const egress = parts(spec, 'egress').length > 0
    fallBack(spec, { policyTypes: egress ? ['Ingress', 'Egress'] : ['Ingress'] })
  },
  'networking.v1.NetworkPolicyPort': (port) => fallBack(port, { protocol: 'TCP' }),
  'networking.v1.IngressClass': (ingressClass) => {
    const parameters = part(ingressClass, 'spec').parameters
    if (isJsonObject(parameters)) fallBack(parameters, { scope: 'Cluster' })
  },
  'flowcontrol.v1.FlowSchemaSpec': (spec) => {
    // Zero counts as absent.
    spec.matchingPrecedence ||= 1000
  },
  'flowcontrol.v1.ExemptPriorityLevelConfiguration': (exempt) =>
    fallBack(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 }),
  'flowcontrol.v1.LimitedPriorityLevelConfiguration': (limited) =>
    fallBack(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 }),
  'flowcontrol.v1.QueuingConfiguration': (queuing) => {
    queuing.queues ||= 64
    queuing.handSize ||= 8
    queuing.queueLengthLimit ||= 50
  },
  'scheduling.v1.PriorityClass': (priority) =>
    fallBack(priority, { preemptionPolicy: 'PreemptLowerPriority' }),
  'storage.v1.StorageClass': (storage) =>
    fallBack(storage, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'autoscaling.v1.HorizontalPodAutoscalerSpec': (spec) => fallBack(spec, { minReplicas: 1 }),
  'autoscaling.v2.HorizontalPodAutoscalerSpec': autoscalerDefaults,
  'admissionregistration.v1.ValidatingWebhook': webhookDefaults,
  'admissionregistration.v1.MutatingWebhook': (webhook) => {
    webhookDefaults(webhook)
    fallBack(webhook, { reinvocationPolicy: 'Never' })
  },
  'admissionregistration.v1.RuleWithOperations': (rule) => fallBack(rule, { scope: '*' }),
  'admissionregistration.v1.NamedRuleWithOperations': (rule) => fallBack(rule, { scope: '*' }),
  'admissionregistration.v1.ServiceReference': (service) => fallBack(service, { port: 443 }),
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': (spec) =>
    fallBack(spec, { failurePolicy: 'Fail' }),
  'admissionregistration.v1.MutatingAdmissionPolicySpec': (spec) =>
    fallBack(spec, { failurePolicy: 'Fail' }),
  'admissionregistration.v1.MatchResources': (match) =>
    fallBack(match, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }),
}

/** Merges `stringData` into `data` before ownership is computed, since `stringData` is never stored. */
function secretDefaults(secret: Fields): void {
  fallBack(secret, { type: 'Opaque' })
  const given = part(secret, 'stringData')
  if (Object.keys(given).length > 0) {
    const data = ownPart(secret, 'data')
    for (const [key, value] of Object.entries(given)) {
      data[key] = Buffer.from(String(value)).toString('base64')
    }
  }
  delete secret.stringData
}

function serviceDefaults(service: Fields): void {
  const spec = ownPart(service, 'spec')
  fallBack(spec, { sessionAffinity: 'None', type: 'ClusterIP' })
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity === 'ClientIP') {
    const clientIP = ownPart(ownPart(spec, 'sessionAffinityConfig'), 'clientIP')
    fallBack(clientIP, { timeoutSeconds: 10_800 })
  }
  for (const port of parts(spec, 'ports')) {
    fallBack(port, { protocol: 'TCP' })
    if ([undefined, 0, ''].includes(port.targetPort as number)) port.targetPort = port.port
  }
  const external = spec.type === 'NodePort' || spec.type === 'LoadBalancer'
  const reachable = external || (spec.type === 'ClusterIP' && Array.isArray(spec.externalIPs))
  if (reachable) fallBack(spec, { externalTrafficPolicy: 'Cluster' })
  if (external || spec.type === 'ClusterIP') fallBack(spec, { internalTrafficPolicy: 'Cluster' })
  if (spec.type === 'LoadBalancer') fallBack(spec, { allocateLoadBalancerNodePorts: true })
}

function limitDefaults(item: Fields): void {
  if (item.type !== 'Container') return
  const defaults = { ...part(item, 'max'), ...part(item, 'default') }
  const requests = { ...part(item, 'min'), ...defaults, ...part(item, 'defaultRequest') }
  if (Object.keys(defaults).length > 0) item.default = defaults
  if (Object.keys(requests).length > 0) item.defaultRequest = requests
}

function autoscalerDefaults(spec: Fields): void {
  fallBack(spec, { minReplicas: 1 })
  if (parts(spec, 'metrics').length === 0) {
    const target = { type: 'Utilization', averageUtilization: 80 }
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }]
  }
  const { behavior } = spec
  if (!isJsonObject(behavior)) return
  const percent = { type: 'Percent', value: 100, periodSeconds: 15 }
  fallBack(ownPart(behavior, 'scaleUp'), {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, percent],
  })
  fallBack(ownPart(behavior, 'scaleDown'), { selectPolicy: 'Max', policies: [percent] })
}

function webhookDefaults(webhook: Fields): void {
  fallBack(webhook, {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  })
}
