export type { Condition, ConditionStatus } from './condition.ts'
export type { GroupVersion, GroupVersionKind, GroupVersionResource } from './group-version.ts'
export { formatApiVersion, parseApiVersion } from './group-version.ts'
export type {
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from './object.ts'
