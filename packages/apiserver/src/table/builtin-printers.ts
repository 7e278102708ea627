import type { Printer } from './printer.ts'
import {
  bindingPrinter,
  mutatingPolicyPrinter,
  policyBindingPrinter,
  validatingPolicyPrinter,
  webhookConfigurationPrinter,
} from './printers/access.ts'
import { horizontalPodAutoscalerPrinter } from './printers/autoscaling.ts'
import { certificateRequestPrinter } from './printers/certificates.ts'
import {
  apiServicePrinter,
  componentStatusPrinter,
  leasePrinter,
  namespacePrinter,
  nodePrinter,
  priorityClassPrinter,
  runtimeClassPrinter,
} from './printers/cluster.ts'
import {
  configMapPrinter,
  nameAndAgePrinter,
  podDisruptionBudgetPrinter,
  resourceQuotaPrinter,
  secretPrinter,
} from './printers/configuration.ts'
import { endpointSlicePrinter, endpointsPrinter } from './printers/endpoints.ts'
import { eventPrinter } from './printers/events.ts'
import { flowSchemaPrinter, priorityLevelPrinter } from './printers/flow-control.ts'
import { cronJobPrinter, jobPrinter } from './printers/jobs.ts'
import {
  ingressClassPrinter,
  ingressPrinter,
  ipAddressPrinter,
  networkPolicyPrinter,
  serviceCidrPrinter,
  servicePrinter,
} from './printers/network.ts'
import { podPrinter } from './printers/pods.ts'
import {
  csiDriverPrinter,
  csiNodePrinter,
  persistentVolumeClaimPrinter,
  persistentVolumePrinter,
  storageClassPrinter,
  volumeAttachmentPrinter,
  volumeAttributesClassPrinter,
} from './printers/storage.ts'
import {
  controllerRevisionPrinter,
  daemonSetPrinter,
  deploymentPrinter,
  podTemplatePrinter,
  replicaSetPrinter,
  replicationControllerPrinter,
  statefulSetPrinter,
} from './printers/workloads.ts'

/** The printer of a built-in resource in any of its versions; `undefined` if it has none. */
export function builtinPrinter(resource: {
  readonly group: string
  readonly plural: string
}): Printer | undefined {
  return printers.get(
    resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`,
  )
}

const printers: ReadonlyMap<string, Printer> = new Map([
  ['pods', podPrinter],
  ['podtemplates', podTemplatePrinter],
  ['replicationcontrollers', replicationControllerPrinter],
  ['services', servicePrinter],
  ['endpoints', endpointsPrinter],
  ['nodes', nodePrinter],
  ['events', eventPrinter],
  ['events.events.k8s.io', eventPrinter],
  ['namespaces', namespacePrinter],
  ['secrets', secretPrinter],
  ['configmaps', configMapPrinter],
  ['serviceaccounts', nameAndAgePrinter],
  ['persistentvolumes', persistentVolumePrinter],
  ['persistentvolumeclaims', persistentVolumeClaimPrinter],
  ['componentstatuses', componentStatusPrinter],
  ['resourcequotas', resourceQuotaPrinter],
  ['deployments.apps', deploymentPrinter],
  ['replicasets.apps', replicaSetPrinter],
  ['statefulsets.apps', statefulSetPrinter],
  ['daemonsets.apps', daemonSetPrinter],
  ['controllerrevisions.apps', controllerRevisionPrinter],
  ['jobs.batch', jobPrinter],
  ['cronjobs.batch', cronJobPrinter],
  ['horizontalpodautoscalers.autoscaling', horizontalPodAutoscalerPrinter],
  ['poddisruptionbudgets.policy', podDisruptionBudgetPrinter],
  ['ingresses.networking.k8s.io', ingressPrinter],
  ['ingressclasses.networking.k8s.io', ingressClassPrinter],
  ['networkpolicies.networking.k8s.io', networkPolicyPrinter],
  ['ipaddresses.networking.k8s.io', ipAddressPrinter],
  ['servicecidrs.networking.k8s.io', serviceCidrPrinter],
  ['endpointslices.discovery.k8s.io', endpointSlicePrinter],
  ['rolebindings.rbac.authorization.k8s.io', bindingPrinter],
  ['clusterrolebindings.rbac.authorization.k8s.io', bindingPrinter],
  ['leases.coordination.k8s.io', leasePrinter],
  ['priorityclasses.scheduling.k8s.io', priorityClassPrinter],
  ['runtimeclasses.node.k8s.io', runtimeClassPrinter],
  ['storageclasses.storage.k8s.io', storageClassPrinter],
  ['csidrivers.storage.k8s.io', csiDriverPrinter],
  ['csinodes.storage.k8s.io', csiNodePrinter],
  ['volumeattachments.storage.k8s.io', volumeAttachmentPrinter],
  ['volumeattributesclasses.storage.k8s.io', volumeAttributesClassPrinter],
  ['mutatingwebhookconfigurations.admissionregistration.k8s.io', webhookConfigurationPrinter],
  ['validatingwebhookconfigurations.admissionregistration.k8s.io', webhookConfigurationPrinter],
  ['validatingadmissionpolicies.admissionregistration.k8s.io', validatingPolicyPrinter],
  ['validatingadmissionpolicybindings.admissionregistration.k8s.io', policyBindingPrinter],
  ['mutatingadmissionpolicies.admissionregistration.k8s.io', mutatingPolicyPrinter],
  ['mutatingadmissionpolicybindings.admissionregistration.k8s.io', policyBindingPrinter],
  ['apiservices.apiregistration.k8s.io', apiServicePrinter],
  ['certificatesigningrequests.certificates.k8s.io', certificateRequestPrinter],
  ['flowschemas.flowcontrol.apiserver.k8s.io', flowSchemaPrinter],
  ['prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', priorityLevelPrinter],
])
