/** The API groups of Kubernetes, each with those of its resources that can be listed and watched. */
export const builtinResources: Readonly<Record<string, readonly string[]>> = {
  '': [
    'configmaps',
    'endpoints',
    'events',
    'limitranges',
    'namespaces',
    'nodes',
    'persistentvolumeclaims',
    'persistentvolumes',
    'pods',
    'podtemplates',
    'replicationcontrollers',
    'resourcequotas',
    'secrets',
    'serviceaccounts',
    'services',
  ],
  'admissionregistration.k8s.io': [
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'validatingwebhookconfigurations',
  ],
  'apiextensions.k8s.io': ['customresourcedefinitions'],
  'apiregistration.k8s.io': ['apiservices'],
  apps: ['controllerrevisions', 'daemonsets', 'deployments', 'replicasets', 'statefulsets'],
  autoscaling: ['horizontalpodautoscalers'],
  batch: ['cronjobs', 'jobs'],
  'certificates.k8s.io': ['certificatesigningrequests'],
  'coordination.k8s.io': ['leases'],
  'discovery.k8s.io': ['endpointslices'],
  'events.k8s.io': ['events'],
  'flowcontrol.apiserver.k8s.io': ['flowschemas', 'prioritylevelconfigurations'],
  'networking.k8s.io': [
    'ingressclasses',
    'ingresses',
    'ipaddresses',
    'networkpolicies',
    'servicecidrs',
  ],
  'node.k8s.io': ['runtimeclasses'],
  policy: ['poddisruptionbudgets'],
  'rbac.authorization.k8s.io': ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'],
  'resource.k8s.io': [
    'deviceclasses',
    'resourceclaims',
    'resourceclaimtemplates',
    'resourceslices',
  ],
  'scheduling.k8s.io': ['priorityclasses'],
  'storage.k8s.io': [
    'csidrivers',
    'csinodes',
    'csistoragecapacities',
    'storageclasses',
    'volumeattachments',
    'volumeattributesclasses',
  ],
}

/** The groups that serve a resource, by its plural name. */
export function groupsByResource(): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const [group, resources] of Object.entries(builtinResources)) {
    for (const resource of resources) groups.set(resource, [...(groups.get(resource) ?? []), group])
  }
  return groups
}
