import { pathSegment } from '../../metadata/name-rules.ts'
import type { KindRules } from '../strategy/kind-rules.ts'
import { addressRules, serviceCidrRules } from './address-kinds.ts'
import { mutatingBindingRules, validatingBindingRules } from './admission-policy/binding-kinds.ts'
import { expressionChecks } from './admission-policy/expression-checks.ts'
import { mutatingPolicyRules } from './admission-policy/mutating-kind.ts'
import { validatingPolicyRules } from './admission-policy/validating-kind.ts'
import { certificateRequestRules } from './certificates/request-kind.ts'
import { configMapRules, namespaceRules, secretRules, serviceAccountRules } from './data-kinds.ts'
import { coreEventRules, eventRules } from './event-kinds.ts'
import { priorityLevelRules } from './flow-control-kinds.ts'
import { ingressClassRules, ingressRules } from './ingress-kinds.ts'
import { cronJobRules, jobRules } from './job-kinds.ts'
import { networkPolicyRules } from './network-policy-kinds.ts'
import { podRules, podTemplateRules } from './pod-kinds.ts'
import { quotaRules } from './quota-kinds.ts'
import { bindingRules, roleRules } from './rbac-kinds.ts'
import { autoscalerRules, disruptionBudgetRules } from './scaling-kinds.ts'
import { leaseRules, nodeRules, priorityClassRules, runtimeClassRules } from './scheduling-kinds.ts'
import {
  endpointSliceRules,
  endpointsRules,
  type ServiceAllocations,
  serviceRules,
} from './service-kinds.ts'
import { claimRules, storageClassRules, volumeRules } from './storage-kinds.ts'
import {
  controllerRevisionRules,
  daemonSetRules,
  deploymentRules,
  replicaSetRules,
  replicationControllerRules,
  statefulSetRules,
} from './workload-kinds.ts'

/** Rules of kinds by id of the definition. Kinds that are not listed have no rules besides their schema. */
export function kindRules(allocations: ServiceAllocations): Readonly<Record<string, KindRules>> {
  const returnsDeleted: KindRules = { deletion: { returnsDeleted: true } }
  const admission: KindRules = { generation: true, requiresVersion: true }
  return {
    'core.v1.Namespace': namespaceRules,
    'core.v1.ConfigMap': configMapRules,
    'core.v1.Secret': secretRules,
    'core.v1.ServiceAccount': serviceAccountRules,
    'core.v1.Event': coreEventRules,
    'events.v1.Event': eventRules,
    'core.v1.Pod': podRules,
    'core.v1.PodTemplate': podTemplateRules,
    'core.v1.Node': nodeRules,
    'core.v1.Service': serviceRules(allocations),
    'core.v1.Endpoints': endpointsRules,
    'apiregistration.v1.APIService': {
      keepsStatus: true,
      statusKeeps: 'metadata',
      nameRule: pathSegment,
    },
    'core.v1.ResourceQuota': quotaRules,
    'storage.v1.CSIDriver': returnsDeleted,
    'storage.v1.CSINode': returnsDeleted,
    'storage.v1.VolumeAttachment': { ...returnsDeleted, statusKeeps: 'metadata' },
    'storage.v1.VolumeAttributesClass': returnsDeleted,
    'core.v1.LimitRange': { allowCreateOnUpdate: true },
    'core.v1.PersistentVolumeClaim': claimRules,
    'core.v1.PersistentVolume': volumeRules,
    'core.v1.ReplicationController': replicationControllerRules,
    'discovery.v1.EndpointSlice': endpointSliceRules,
    'coordination.v1.Lease': leaseRules,
    'batch.v1.Job': jobRules,
    'batch.v1.CronJob': cronJobRules,
    'certificates.v1.CertificateSigningRequest': certificateRequestRules,
    'flowcontrol.v1.FlowSchema': { generation: true },
    'flowcontrol.v1.PriorityLevelConfiguration': priorityLevelRules,
    'apps.v1.Deployment': deploymentRules,
    'apps.v1.ReplicaSet': replicaSetRules,
    'apps.v1.StatefulSet': statefulSetRules,
    'apps.v1.DaemonSet': daemonSetRules,
    'apps.v1.ControllerRevision': controllerRevisionRules,
    'autoscaling.v1.HorizontalPodAutoscaler': autoscalerRules,
    'autoscaling.v2.HorizontalPodAutoscaler': autoscalerRules,
    'policy.v1.PodDisruptionBudget': disruptionBudgetRules,
    'networking.v1.NetworkPolicy': networkPolicyRules,
    'networking.v1.Ingress': ingressRules,
    'networking.v1.IngressClass': ingressClassRules,
    'networking.v1.ServiceCIDR': serviceCidrRules,
    'networking.v1.IPAddress': addressRules,
    'scheduling.v1.PriorityClass': priorityClassRules,
    'rbac.v1.Role': roleRules(true),
    'rbac.v1.ClusterRole': roleRules(false),
    'rbac.v1.RoleBinding': bindingRules(true),
    'rbac.v1.ClusterRoleBinding': bindingRules(false),
    'storage.v1.StorageClass': storageClassRules,
    'node.v1.RuntimeClass': runtimeClassRules,
    'admissionregistration.v1.ValidatingWebhookConfiguration': admission,
    'admissionregistration.v1.MutatingWebhookConfiguration': admission,
    'admissionregistration.v1.ValidatingAdmissionPolicy': validatingPolicyRules(expressionChecks),
    'admissionregistration.v1.ValidatingAdmissionPolicyBinding': validatingBindingRules,
    'admissionregistration.v1.MutatingAdmissionPolicy': mutatingPolicyRules(expressionChecks),
    'admissionregistration.v1.MutatingAdmissionPolicyBinding': mutatingBindingRules,
  }
}
