import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  type StructFields,
  stringType,
  structType,
  type Type,
  timestampType,
} from '../type/type.ts'

/** The type of `request`. It has no `uid`, no `object` and no `oldObject`: upstream does not declare them. */
export const requestType = structType('kubernetes.AdmissionRequest')
/** The type of `namespaceObject`, with the fields of a namespace that rarely change. */
export const namespaceType = structType('kubernetes.Namespace')
/** The type of `variables`. Its fields are the variables of the policy, added one by one. */
export const variablesType = structType('kubernetes.variables')

const kindType = structType('kubernetes.GroupVersionKind')
const resourceType = structType('kubernetes.GroupVersionResource')
const userType = structType('kubernetes.UserInfo')
const metadataType = structType('kubernetes.NamespaceMetadata')
const specType = structType('kubernetes.NamespaceSpec')
const statusType = structType('kubernetes.NamespaceStatus')
const conditionType = structType('kubernetes.NamespaceCondition')

const stringList = listType(stringType)
const stringMap = mapType(stringType, stringType)

/** The fields of the types above, except those of `variables`. */
export const declaredFields: StructFields = new Map([
  declare(kindType, { group: stringType, version: stringType, kind: stringType }),
  declare(resourceType, { group: stringType, version: stringType, resource: stringType }),
  declare(userType, {
    username: stringType,
    uid: stringType,
    groups: stringList,
    extra: mapType(stringType, stringList),
  }),
  declare(requestType, {
    kind: kindType,
    resource: resourceType,
    subResource: stringType,
    requestKind: kindType,
    requestResource: resourceType,
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: userType,
    dryRun: boolType,
    options: dynType,
  }),
  declare(namespaceType, { metadata: metadataType, spec: specType, status: statusType }),
  declare(metadataType, {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: stringMap,
    annotations: stringMap,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: stringList,
  }),
  declare(specType, { finalizers: stringList }),
  declare(statusType, { conditions: listType(conditionType), phase: stringType }),
  declare(conditionType, {
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  }),
])

function declare(
  type: Type,
  fields: { readonly [name: string]: Type },
): [string, ReadonlyMap<string, Type>] {
  return [type.name, new Map(Object.entries(fields))]
}
