import { forbidden } from '../../endpoints/api-error.ts'
import { type Admission, type AdmissionAttributes, noAdmission } from '../../rest/admission.ts'
import type { Store } from '../../store/store.ts'
import { fallBack, number, ownPart, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { serviceAccountAdmission } from './service-account.ts'

/**
 * Admission plugins that are on by default and that act on built-in kinds, by the names that
 * `--disable-admission-plugins` knows, in the order that they run.
 */
export function builtinAdmission(store: Store): ReadonlyMap<string, Admission> {
  return new Map([
    ['TaintNodesByCondition', onCreate('nodes', taintNode)],
    ['Priority', onCreate('pods', (pod, attributes) => setPriority(store, pod, attributes))],
    ['DefaultTolerationSeconds', onCreate('pods', tolerate)],
    ['ServiceAccount', onCreate('pods', serviceAccountAdmission(store))],
    [
      'StorageObjectInUseProtection',
      onCreate('persistentvolumeclaims', (claim, { resource }) =>
        protect(claim, resource.plural === 'persistentvolumes' ? 'pv' : 'pvc'),
      ),
    ],
    ['DefaultStorageClass', onCreate('persistentvolumeclaims', (claim) => setClass(store, claim))],
  ])
}

function onCreate(
  plural: string,
  change: (object: BuiltinObject, attributes: AdmissionAttributes) => void,
): Admission {
  const plurals = plural === 'persistentvolumeclaims' ? [plural, 'persistentvolumes'] : [plural]
  return {
    ...noAdmission,
    admit(attributes) {
      const { operation, resource, subresource, object } = attributes
      if (operation !== 'CREATE' || subresource !== '' || object === undefined) return
      if (resource.group === '' && plurals.includes(resource.plural)) {
        change(object as BuiltinObject, attributes)
      }
    },
  }
}

function taintNode(node: BuiltinObject): void {
  const spec = ownPart(node, 'spec')
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
  const taints = parts(spec, 'taints')
  if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return
  spec.taints = [...taints, taint]
}

function setPriority(
  store: Store,
  pod: BuiltinObject,
  { resource, name }: AdmissionAttributes,
): void {
  const prefix = '/scheduling.k8s.io/priorityclasses/'
  const spec = ownPart(pod, 'spec')
  const wanted = text(spec, 'priorityClassName')
  const found = (
    wanted === ''
      ? store
          .list(prefix)
          .entries.map(({ value }) => value as BuiltinObject)
          .find(({ globalDefault }) => globalDefault === true)
      : store.get(`${prefix}${wanted}`)?.value
  ) as BuiltinObject | undefined
  if (wanted !== '' && found === undefined) {
    throw forbidden(resource, name, `no PriorityClass with name ${wanted} was found`)
  }
  const value = found === undefined ? 0 : (number(found, 'value') ?? 0)
  if (spec.priority !== undefined && spec.priority !== value) {
    throw forbidden(
      resource,
      name,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    )
  }
  if (found !== undefined) spec.priorityClassName = found.metadata.name
  spec.priority = value
  const policy = found === undefined ? '' : text(found, 'preemptionPolicy')
  fallBack(spec, { preemptionPolicy: policy || 'PreemptLowerPriority' })
}

/** A pod stays five minutes on a node that no longer answers. */
function tolerate(pod: BuiltinObject): void {
  const spec = ownPart(pod, 'spec')
  const tolerations = parts(spec, 'tolerations')
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) =>
      !tolerations.some(
        (one) =>
          (one.key === key || text(one, 'key') === '') &&
          (one.effect === 'NoExecute' || text(one, 'effect') === ''),
      ),
  )
  spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
  ]
}

function protect(object: BuiltinObject, what: 'pv' | 'pvc'): void {
  const finalizer = `kubernetes.io/${what}-protection`
  const finalizers = object.metadata.finalizers ?? []
  if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer]
}

function setClass(store: Store, claim: BuiltinObject): void {
  if (claim.kind !== 'PersistentVolumeClaim') return
  const spec = ownPart(claim, 'spec')
  if (spec.storageClassName !== undefined) return
  const marked = store
    .list('/storage.k8s.io/storageclasses/')
    .entries.map(({ value }) => value)
    .filter(
      ({ metadata }) =>
        metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true',
    )
  const newest = marked.sort((a, b) =>
    (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
  )[0]
  if (newest !== undefined) spec.storageClassName = newest.metadata.name
}
