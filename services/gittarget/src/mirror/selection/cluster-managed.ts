import { type KubeObject, parseApiVersion } from '@agents/kube'

/**
 * Whether the cluster creates the object by itself, and again after it is deleted: for another object, or for its own
 * use. Applied to another cluster, it would be a duplicate or conflict with an object of that cluster.
 */
export function isClusterManaged(object: KubeObject): boolean {
  const { apiVersion, kind, metadata } = object
  const rule = rules[`${parseApiVersion(apiVersion).group}/${kind}`]
  return isOwned(metadata) || rule?.(metadata) === true
}

/**
 * Whether a controller manages the object for another one. Owners that are only used for garbage collection do not
 * count.
 */
function isOwned({ ownerReferences = [] }: KubeObject['metadata']): boolean {
  return ownerReferences.some(({ controller }) => controller === true)
}

type Rule = (metadata: KubeObject['metadata']) => boolean

/** Restored by the server when it starts, unless autoupdate is disabled. */
const isDefaultRole: Rule = ({ labels, annotations }) =>
  labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults' &&
  annotations?.['rbac.authorization.kubernetes.io/autoupdate'] !== 'false'

const isDefaultFlow: Rule = ({ annotations }) =>
  annotations?.['apf.kubernetes.io/autoupdate-spec'] === 'true'

function named(...names: string[]): Rule {
  return ({ namespace = '', name }) =>
    names.includes(name) || names.includes(`${namespace}/${name}`)
}

const rules: Readonly<Record<string, Rule>> = {
  '/ConfigMap': named('kube-root-ca.crt', 'kube-system/extension-apiserver-authentication'),
  '/Service': named('default/kubernetes'),
  'apiregistration.k8s.io/APIService': ({ labels }) =>
    labels?.['kube-aggregator.kubernetes.io/automanaged'] !== undefined,
  // A request of one client to one cluster, which that cluster deletes after hours.
  'certificates.k8s.io/CertificateSigningRequest': () => true,
  'flowcontrol.apiserver.k8s.io/FlowSchema': isDefaultFlow,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': isDefaultFlow,
  'networking.k8s.io/ServiceCIDR': named('kubernetes'),
  'rbac.authorization.k8s.io/ClusterRole': isDefaultRole,
  'rbac.authorization.k8s.io/ClusterRoleBinding': isDefaultRole,
  'rbac.authorization.k8s.io/Role': isDefaultRole,
  'rbac.authorization.k8s.io/RoleBinding': isDefaultRole,
  'scheduling.k8s.io/PriorityClass': ({ name }) => name.startsWith('system-'),
}
