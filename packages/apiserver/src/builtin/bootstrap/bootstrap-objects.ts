import { type KubeObject, parseApiVersion } from '@agents/kube'
import { defaultServiceCidr } from '../kinds/address-kinds.ts'
import type { BuiltinTables } from '../schema/tables.ts'

interface BootstrapOptions {
  readonly tables: BuiltinTables
  /** Target port of the Service `kubernetes`. */
  readonly port: number
  readonly now: Date
}

/** The objects of a new cluster, in the order in which they are created. */
export function bootstrapObjects({ tables, port, now }: BootstrapOptions): KubeObject[] {
  return [
    ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })),
    ...priorityClasses(),
    ...policyObjects(tables),
    serviceCidr(),
    kubernetesService(port),
    ...tables.groupVersions.map((groupVersion) => apiService(groupVersion, now)),
  ]
}

/** Cluster IP of the Service `kubernetes`, the first of the range. */
const kubernetesAddress = '10.96.0.1'
const serviceRange = '10.96.0.0/16'

function priorityClasses(): KubeObject[] {
  const values = { 'system-cluster-critical': 2_000_000_000, 'system-node-critical': 2_000_001_000 }
  return Object.entries(values).map(([name, value]) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
  }))
}

function policyObjects({ bootstrapPolicy }: BuiltinTables): KubeObject[] {
  return Object.entries(bootstrapPolicy).flatMap(([kind, objects]) =>
    objects.map((object) => ({
      ...structuredClone(object),
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
    })),
  )
}

/** The range from which services get their addresses. */
function serviceCidr(): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: defaultServiceCidr },
    spec: { cidrs: [serviceRange] },
  }
}

function kubernetesService(targetPort: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      clusterIP: kubernetesAddress,
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort }],
    },
  }
}

function apiService(groupVersion: string, now: Date): KubeObject {
  const { group, version } = parseApiVersion(groupVersion)
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      name: `${version}.${group}`,
      labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' },
    },
    spec: {
      ...(group === '' ? {} : { group }),
      version,
      groupPriorityMinimum: group === '' ? 18_000 : 17_000,
      versionPriority: group === '' ? 1 : 15,
    },
    status: {
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: `${now.toISOString().slice(0, 19)}Z`,
          reason: 'Local',
          message: 'Served by this server',
        },
      ],
    },
  } as KubeObject
}
