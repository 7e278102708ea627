import { isMap, type Json, type JsonMap, withMember, without } from './json.ts'

/** Removes fields that the server allocated or set, for one group and kind, unless a user may have set them. */
type KindRule = (object: JsonMap, metadata: JsonMap) => JsonMap

function ofSpec(change: (spec: JsonMap, metadata: JsonMap) => JsonMap | undefined): KindRule {
  return (object, metadata) =>
    isMap(object.spec) ? withMember(object, 'spec', change(object.spec, metadata)) : object
}

const service = ofSpec((spec) => {
  const isHeadless = spec.clusterIP === 'None'
  const singleStack = spec.ipFamilyPolicy === 'SingleStack' && isOnly(spec.ipFamilies, 'IPv4')
  return without(spec, [
    'healthCheckNodePort',
    ...(isHeadless ? [] : ['clusterIP', 'clusterIPs']),
    ...(singleStack ? ['ipFamilies', 'ipFamilyPolicy'] : []),
    ...(spec.internalTrafficPolicy === 'Cluster' ? ['internalTrafficPolicy'] : []),
  ])
})

const pod = ofSpec((spec) => {
  const isMount = (item: Json): boolean =>
    isMap(item) && typeof item.name === 'string' && item.name.startsWith('kube-api-access-')
  const kept = without(spec, [
    'nodeName',
    // Derived from priorityClassName; the server rejects them if they are set.
    'priority',
    ...(spec.serviceAccount === spec.serviceAccountName ? ['serviceAccount'] : []),
  ])
  if (kept === undefined) return kept
  let next = withItems(kept, 'volumes', (volume) => (isMount(volume) ? undefined : volume))
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    next = withItems(next, list, (container) =>
      isMap(container)
        ? withItems(container, 'volumeMounts', (mount) => (isMount(mount) ? undefined : mount))
        : container,
    )
  }
  return next
})

function boundByController(metadata: JsonMap): boolean {
  return (
    isMap(metadata.annotations) &&
    metadata.annotations['pv.kubernetes.io/bound-by-controller'] !== undefined
  )
}

const persistentVolumeClaim = ofSpec((spec, metadata) =>
  boundByController(metadata) ? without(spec, ['volumeName']) : spec,
)

const persistentVolume = ofSpec((spec, metadata) => {
  if (boundByController(metadata)) return without(spec, ['claimRef'])
  const { claimRef } = spec
  if (!isMap(claimRef)) return spec
  return withMember(spec, 'claimRef', without(claimRef, ['uid', 'resourceVersion']))
})

const namespace = ofSpec((spec) => without(spec, ['finalizers']))

const serviceAccount: KindRule = (object, { name }) => {
  const generated = (secret: Json): boolean =>
    isMap(secret) &&
    typeof secret.name === 'string' &&
    secret.name.startsWith(`${name}-`) &&
    /^(?:token|dockercfg)-[a-z0-9]{5}$/.test(secret.name.slice(`${name}-`.length))
  return withItems(object, 'secrets', (secret) => (generated(secret) ? undefined : secret))
}

/** A token that the server sets is useless in another cluster, and dangerous in the wrong hands. */
const secret: KindRule = (object) => {
  if (object.type !== 'kubernetes.io/service-account-token' || !isMap(object.data)) return object
  return withMember(object, 'data', without(object.data, ['token', 'ca.crt', 'namespace']))
}

/** The controller sets the aggregated rules. */
const clusterRole: KindRule = (object) =>
  isMap(object.aggregationRule) ? withMember(object, 'rules', undefined) : object

/** Unless the user sets a selector, the server generates one that matches this Job only. */
function jobSpec(spec: JsonMap): JsonMap {
  if (spec.manualSelector === true) return spec
  const rest = without(spec, [
    'selector',
    ...(spec.manualSelector === false ? ['manualSelector'] : []),
  ])
  const { template } = rest ?? {}
  if (rest === undefined || !isMap(template) || !isMap(template.metadata)) return rest ?? {}
  const { labels } = template.metadata
  if (!isMap(labels)) return rest
  const metadata = withMember(template.metadata, 'labels', without(labels, jobLabels))
  const isEmpty = Object.keys(metadata).length === 0
  return withMember(
    rest,
    'template',
    withMember(template, 'metadata', isEmpty ? undefined : metadata),
  )
}

const jobLabels = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
]

const job: KindRule = (object, metadata) => ofSpec(jobSpec)(object, metadata)

/** By `group/Kind`. Kinds of other groups with the same name, such as a Knative Service, have no rule. */
export const kindRules: Readonly<Record<string, KindRule>> = {
  '/Service': service,
  '/Pod': pod,
  '/PersistentVolumeClaim': persistentVolumeClaim,
  '/PersistentVolume': persistentVolume,
  '/Namespace': namespace,
  '/ServiceAccount': serviceAccount,
  '/Secret': secret,
  'rbac.authorization.k8s.io/ClusterRole': clusterRole,
  'batch/Job': job,
}

function isOnly(list: Json | undefined, value: string): boolean {
  return Array.isArray(list) && list.length === 1 && list[0] === value
}

/** The list without its empty items; removed if no item is left. */
function withItems(map: JsonMap, name: string, change: (item: Json) => Json | undefined): JsonMap {
  const items = map[name]
  if (!Array.isArray(items)) return map
  const kept = items.map(change).filter((item) => item !== undefined)
  return withMember(map, name, kept.length === 0 && items.length > 0 ? undefined : kept)
}
