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
export type { Quantity, QuantityFormat } from './quantity.ts'
export {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isQuantity,
  parseQuantity,
  QuantityError,
  quantityAsInt64,
  quantityAsNumber,
  quantityFromInteger,
  quantityMilliValue,
  quantitySign,
  quantityValue,
  subtractQuantities,
} from './quantity.ts'
