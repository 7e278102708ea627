export { type Clock, systemClock } from './client/clock.ts'
export type {
  ClientCertificate,
  Connection,
  CredentialSource,
  Credentials,
  Impersonation,
  TlsOptions,
} from './client/connection.ts'
export { bearer, staticCredentials } from './client/connection.ts'
export type { Discovery, ServedResource, ServerVersion } from './client/discovery.ts'
export type { HttpStream } from './client/http-exchange.ts'
export type { KubeClient, KubeClientOptions } from './client/kube-client.ts'
export { createKubeClient } from './client/kube-client.ts'
export type { KubeErrorInit } from './client/kube-error.ts'
export {
  isAlreadyExists,
  isBadAnswer,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isInternalError,
  isInvalid,
  isNotFound,
  isRevisionTooLarge,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnreachable,
  isUnsupportedMediaType,
  KubeError,
} from './client/kube-error.ts'
export type { ListOptions, Scope, View, WatchOptions } from './client/list-options.ts'
export type { ResourceClient } from './client/resource-client.ts'
export type { Applied, New } from './client/resource-writer.ts'
export type { RetryPolicy } from './client/retry.ts'
export type {
  AccessQuestion,
  AccessReviewStatus,
  ResourceAttributes,
  ReviewClient,
  ReviewedUser,
  SubjectAccessQuestion,
  TokenReviewStatus,
} from './client/reviews.ts'
export type { Status, StatusCause, StatusDetails } from './client/status.ts'
export { isStatus } from './client/status.ts'
export type {
  IssuedToken,
  LogOptions,
  LogStream,
  Scale,
  SubresourceClient,
  TokenOptions,
} from './client/subresources.ts'
export type {
  CallOptions,
  HttpMethod,
  RawAnswer,
  RawRequest,
  RequestOutcome,
} from './client/transport.ts'
export type {
  ApplyOptions,
  DeleteOptions,
  JsonPatchOperation,
  Patch,
  WriteOptions,
} from './client/write-options.ts'
export type { Condition, ConditionStatus } from './condition.ts'
export type { ConfigEffects, RunCommand } from './config/effects.ts'
export { systemEffects } from './config/effects.ts'
export { KubeconfigError } from './config/kubeconfig-error.ts'
export { isInCluster, loadInCluster } from './config/load-in-cluster.ts'
export type { KubeconfigSource } from './config/load-kubeconfig.ts'
export { kubeconfigPaths, loadKubeconfig } from './config/load-kubeconfig.ts'
export type { GroupVersion, GroupVersionKind, GroupVersionResource } from './group-version.ts'
export { formatApiVersion, parseApiVersion } from './group-version.ts'
export type { BackoffOptions } from './informer/backoff.ts'
export { deepFreeze, withoutManagedFields } from './informer/compact.ts'
export type { InformerHandler, Registration } from './informer/handlers.ts'
export type { ReadStore, StoreFilter } from './informer/indexed-store.ts'
export { byNamespace, byOwner, NAMESPACE_INDEX, OWNER_INDEX } from './informer/indexed-store.ts'
export type { Indexer } from './informer/indexes.ts'
export type { Informer, InformerOptions, InformerStats } from './informer/informer.ts'
export { createInformer } from './informer/informer.ts'
export type {
  InformerDefaults,
  InformerLease,
  Informers,
  SharedOptions,
} from './informer/informers.ts'
export { createInformers } from './informer/informers.ts'
export { compareRevisions } from './informer/resource-version.ts'
export type { WaitOptions } from './informer/waiters.ts'
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
  CronJob,
  CustomResourceDefinition,
  EnvVar,
  Job,
  JobSpec,
  LabelSelector,
  Lease,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  PodTemplate,
  Secret,
  ServiceAccount,
  Volume,
} from './kind/builtin-objects.ts'
export type { DeclaredKind, KindRef, ObjectKey } from './kind/kind-ref.ts'
export { formatKey, kindRef, parseKey } from './kind/kind-ref.ts'
export { resourcePath } from './kind/resource-path.ts'
export type { PatchOptions, WriteOutcome, Written } from './object/create-or-patch.ts'
export { createOrPatch, createOrUpdate, patchObject } from './object/create-or-patch.ts'
export { hasFinalizer, withFinalizer, withoutFinalizer } from './object/finalizers.ts'
export { mergePatch } from './object/merge-patch.ts'
export {
  controllerOf,
  isControlledBy,
  OwnershipError,
  withController,
} from './object/owner-reference.ts'
export type { ConflictBackoff } from './object/retry-on-conflict.ts'
export {
  defaultConflictRetry,
  retryOnConflict,
} from './object/retry-on-conflict.ts'
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
export type { LabelRequirement, Labels } from './selector/label-selector.ts'
export {
  formatLabelSelector,
  matchesLabels,
  parseLabelSelector,
  requirementsOf,
  SelectorError,
} from './selector/label-selector.ts'
export type { WatchEvent } from './watch/watch-event.ts'
export type { WatchStream } from './watch/watch-stream.ts'
