import type {
  ClusterEvent,
  ConfigMap,
  CronJob,
  CustomResourceDefinition,
  Job,
  Lease,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  ServiceAccount,
} from './builtin-objects.ts'
import type { KindRef } from './kind-ref.ts'

const core = { group: '', version: 'v1' } as const
const batch = { group: 'batch', version: 'v1' } as const
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const
const apps = { group: 'apps', version: 'v1' } as const

/** The built-in kinds of Kubernetes that the platform reads or writes. */
export const PodKind: KindRef<Pod> = { ...core, plural: 'pods', kind: 'Pod', namespaced: true }
export const SecretKind: KindRef<Secret> = {
  ...core,
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
}
export const ConfigMapKind: KindRef<ConfigMap> = {
  ...core,
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
export const NamespaceKind: KindRef<Namespace> = {
  ...core,
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}
export const ServiceAccountKind: KindRef<ServiceAccount> = {
  ...core,
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}
export const EventKind: KindRef<ClusterEvent> = {
  ...core,
  plural: 'events',
  kind: 'Event',
  namespaced: true,
}
export const PersistentVolumeClaimKind: KindRef<PersistentVolumeClaim> = {
  ...core,
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
}
export const PersistentVolumeKind: KindRef<PersistentVolume> = {
  ...core,
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
}
export const NodeKind: KindRef<Node> = { ...core, plural: 'nodes', kind: 'Node', namespaced: false }
export const JobKind: KindRef<Job> = { ...batch, plural: 'jobs', kind: 'Job', namespaced: true }
export const CronJobKind: KindRef<CronJob> = {
  ...batch,
  plural: 'cronjobs',
  kind: 'CronJob',
  namespaced: true,
}
export const DeploymentKind: KindRef = {
  ...apps,
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}
export const RoleKind: KindRef = { ...rbac, plural: 'roles', kind: 'Role', namespaced: true }
export const LeaseKind: KindRef<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}
export const CustomResourceDefinitionKind: KindRef<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}
