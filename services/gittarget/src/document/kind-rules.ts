import { isMap, type Json, type JsonMap, withMember, without } from './json.ts'

/** Takes away what the server allocated or filled in, for one group and kind, unless it may be what a person chose. */
type KindRule = (object: JsonMap, metadata: JsonMap) => JsonMap

const ofSpec =
  (change: (spec: JsonMap, metadata: JsonMap) => JsonMap | undefined): KindRule =>
  (object, metadata) =>
    isMap(object.spec) ? withMember(object, 'spec', change(object.spec, metadata)) : object

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
    // Follow from priorityClassName; given as numbers they are refused.
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

const boundByController = (metadata: JsonMap): boolean =>
  isMap(metadata.annotations) &&
  metadata.annotations['pv.kubernetes.io/bound-by-controller'] !== undefined

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

/** A token that the server fills in is worth nothing elsewhere, and much to a thief. */
const secret: KindRule = (object) => {
  if (object.type !== 'kubernetes.io/service-account-token' || !isMap(object.data)) return object
  return withMember(object, 'data', without(object.data, ['token', 'ca.crt', 'namespace']))
}

/** The controller fills in what the aggregation finds. */
const clusterRole: KindRule = (object) =>
  isMap(object.aggregationRule) ? withMember(object, 'rules', undefined) : object

/** Unless a person selects pods by hand, the server invents a selector that fits this very job only. */
const jobSpec = (spec: JsonMap): JsonMap => {
  if (spec.manualSelector === true) return spec
  const rest = without(spec, [
    'selector',
    ...(spec.manualSelector === false ? ['manualSelector'] : []),
  ])
  const { template } = rest ?? {}
  if (rest === undefined || !isMap(template) || !isMap(template.metadata)) return rest ?? {}
  const { labels } = template.metadata
  if (!isMap(labels)) return rest
  const metadata = withMember(template.metadata, 'labels', without(labels, JOB_LABELS))
  const isEmpty = Object.keys(metadata).length === 0
  return withMember(
    rest,
    'template',
    withMember(template, 'metadata', isEmpty ? undefined : metadata),
  )
}

const JOB_LABELS = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
]

const job: KindRule = (object, metadata) => ofSpec(jobSpec)(object, metadata)

/** By `group/Kind`. Kinds of other groups that share a name, such as a Knative Service, have none of it. */
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

const isOnly = (list: Json | undefined, value: string): boolean =>
  Array.isArray(list) && list.length === 1 && list[0] === value

/** A list without the items for which there is nothing left; the list goes with its last item. */
const withItems = (
  map: JsonMap,
  name: string,
  change: (item: Json) => Json | undefined,
): JsonMap => {
  const items = map[name]
  if (!Array.isArray(items)) return map
  const kept = items.map(change).filter((item) => item !== undefined)
  return withMember(map, name, kept.length === 0 && items.length > 0 ? undefined : kept)
}
