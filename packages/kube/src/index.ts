export type { ServedResource } from './client/discovery.ts'
export type { KubeClient } from './client/kube-client.ts'
export { createKubeClient } from './client/kube-client.ts'
export type { Applied, New } from './client/resource-writer.ts'
export type { AccessQuestion, ResourceAttributes, ReviewClient } from './client/reviews.ts'
export type { LogOptions } from './client/subresources.ts'
export { type Clock, sleep, systemClock } from './clock/clock.ts'
export type { Condition, ConditionStatus } from './condition.ts'
export type { ConfigEffects } from './config/effects.ts'
export { systemEffects } from './config/effects.ts'
export { KubeconfigError } from './config/kubeconfig-error.ts'
export { isInCluster, loadInCluster } from './config/load-in-cluster.ts'
export { kubeconfigPaths, loadKubeconfig } from './config/load-kubeconfig.ts'
export { formatApiVersion, parseApiVersion } from './group-version.ts'
export { byOwner, ownerIndex } from './informer/indexed-store.ts'
export type { Indexer } from './informer/indexes.ts'
export type { Informer, InformerOptions } from './informer/informer.ts'
export { createInformer } from './informer/informer.ts'
export type { InformerLease, Informers } from './informer/informers.ts'
export { createInformers } from './informer/informers.ts'
export { InformerTimeoutError } from './informer/waiters.ts'
export { parseJson } from './json/parse-json.ts'
export { sameJson } from './json/same-json.ts'
export { stringifyJson } from './json/stringify-json.ts'
export {
  ConfigMapKind,
  CronJobKind,
  CustomResourceDefinitionKind,
  DeploymentKind,
  EventKind,
  JobKind,
  LeaseKind,
  NamespaceKind,
  NodeKind,
  PersistentVolumeClaimKind,
  PersistentVolumeKind,
  PodKind,
  RoleKind,
  SecretKind,
  ServiceAccountKind,
} from './kind/builtin-kinds.ts'
export type {
  BuiltinCondition,
  ClusterEvent,
  ConfigMap,
  Container,
  ContainerState,
  ContainerStatus,
  CustomResourceDefinition,
  EnvVar,
  Job,
  JobSpec,
  Lease,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  PodTemplate,
  Secret,
  Volume,
} from './kind/builtin-objects.ts'
export type { DeclaredKind, KindRef, ObjectKey } from './kind/kind-ref.ts'
export { formatKey, kindRef, parseKey } from './kind/kind-ref.ts'
export { resourcePath } from './kind/resource-path.ts'
export { hasFinalizer, withFinalizer, withoutFinalizer } from './object/finalizers.ts'
export { mergePatch } from './object/merge-patch.ts'
export type { Owner } from './object/owner-reference.ts'
export {
  controllerOf,
  controllerOfKind,
  isControlledBy,
  OwnershipError,
  withController,
} from './object/owner-reference.ts'
export type { KubeObject, ListMeta, ManagedFieldsEntry, OwnerReference } from './object.ts'
export { objectMessage } from './protobuf/kubernetes.ts'
export type { Message } from './protobuf/message.ts'
export {
  anyText,
  blank,
  boolean,
  inline,
  integer,
  listOf,
  mapOf,
  message,
  nested,
  nonZero,
  text,
  time,
} from './protobuf/message.ts'
export type { Quantity } from './quantity.ts'
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
export { compareRevisions, isAtLeastRevision } from './resource-version.ts'
export type { Labels } from './selector/label-selector.ts'
export { matchesLabels, requirementsOf } from './selector/label-selector.ts'
export type { RemoteCommand } from './streaming/client/remote-command.ts'
export type {
  CommandStreams,
  StreamChoice,
  TerminalSize,
} from './streaming/command/command-streams.ts'
export { loadStreaming } from './streaming/load-streaming.ts'
export type { PodStreams } from './streaming/pod-streams.ts'
export { StreamFailure } from './streaming/stream-failure.ts'
export { handleUpgrades } from './streaming/upgrade/handle-upgrades.ts'
export { isWebSocketRequest } from './streaming/websocket/handshake.ts'
export type { Connection, Impersonation } from './transport/connection.ts'
export { bearer, staticCredentials } from './transport/connection.ts'
export {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTimeout,
  isUnauthorized,
  isUnreachable,
  KubeError,
} from './transport/kube-error.ts'
export type { StatusCause, StatusDetails } from './transport/status.ts'
export type { RawRequest } from './transport/transport.ts'
export type { WatchEvent } from './watch/watch-event.ts'
