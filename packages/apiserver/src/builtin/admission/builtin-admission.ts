import { type Admission, type AdmissionAttributes, noAdmission } from '../../rest/admission.ts'
import type { Store } from '../../store/store.ts'
import { ownPart, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { priorityAdmission } from './priority.ts'
import { runtimeClassAdmission } from './runtime-class.ts'
import { serviceAccountAdmission } from './service-account.ts'

/**
 * The admission plugins for built-in kinds that are enabled by default, in the order in which they run, with the names
 * for `--disable-admission-plugins`.
 */
export function builtinAdmission(store: Store): ReadonlyMap<string, Admission> {
  return new Map([
    ['TaintNodesByCondition', onCreate('nodes', taintNode)],
    ['Priority', priorityAdmission(store)],
    ['DefaultTolerationSeconds', onCreate('pods', tolerate)],
    ['ServiceAccount', onCreate('pods', serviceAccountAdmission(store))],
    [
      'StorageObjectInUseProtection',
      onCreate('persistentvolumeclaims', (claim, { resource }) =>
        protect(claim, resource.plural === 'persistentvolumes' ? 'pv' : 'pvc'),
      ),
    ],
    ['DefaultStorageClass', onCreate('persistentvolumeclaims', (claim) => setClass(store, claim))],
    ['RuntimeClass', runtimeClassAdmission(store)],
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

/** Pods tolerate an unreachable node for five minutes. */
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
