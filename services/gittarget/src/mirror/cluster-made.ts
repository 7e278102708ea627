import { type KubeObject, parseApiVersion } from '@agents/kube'

/**
 * Whether the cluster makes the object by itself, and again when it is gone: for another object, or for its own use. Applied
 * elsewhere it would be there twice, or in the way of what that cluster made.
 */
export const isClusterMade = (object: KubeObject): boolean => {
  const { apiVersion, kind, metadata } = object
  const rule = rules[`${parseApiVersion(apiVersion).group}/${kind}`]
  return isOwned(metadata) || rule?.(metadata) === true
}

/** Whether a controller keeps the object for another one. An owner that only cleans up is none. */
const isOwned = ({ ownerReferences = [] }: KubeObject['metadata']): boolean =>
  ownerReferences.some(({ controller }) => controller === true)

type Rule = (metadata: KubeObject['metadata']) => boolean

/** What the server puts right again when it starts, unless a person has told it not to. */
const isDefaultRole: Rule = ({ labels, annotations }) =>
  labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults' &&
  annotations?.['rbac.authorization.kubernetes.io/autoupdate'] !== 'false'

const isDefaultFlow: Rule = ({ annotations }) =>
  annotations?.['apf.kubernetes.io/autoupdate-spec'] === 'true'

const named =
  (...names: string[]): Rule =>
  ({ namespace = '', name }) =>
    names.includes(name) || names.includes(`${namespace}/${name}`)

const rules: Readonly<Record<string, Rule>> = {
  '/ConfigMap': named('kube-root-ca.crt', 'kube-system/extension-apiserver-authentication'),
  '/Service': named('default/kubernetes'),
  'apiregistration.k8s.io/APIService': ({ labels }) =>
    labels?.['kube-aggregator.kubernetes.io/automanaged'] !== undefined,
  'flowcontrol.apiserver.k8s.io/FlowSchema': isDefaultFlow,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': isDefaultFlow,
  'networking.k8s.io/ServiceCIDR': named('kubernetes'),
  'rbac.authorization.k8s.io/ClusterRole': isDefaultRole,
  'rbac.authorization.k8s.io/ClusterRoleBinding': isDefaultRole,
  'rbac.authorization.k8s.io/Role': isDefaultRole,
  'rbac.authorization.k8s.io/RoleBinding': isDefaultRole,
  'scheduling.k8s.io/PriorityClass': ({ name }) => name.startsWith('system-'),
}
