import type { AdmissionPolicy } from '@agents/crd'
import { admissionPolicies as mirrorPolicies } from '@agents/gittarget-api'
import { admissionPolicies as agentsPolicies } from '@agents/jangar-api'
import type { KindRef, KubeObject } from '@agents/kube'

/** The admission policies of the platform, from the same declarations as those of the chart. */
export const platformPolicies: readonly AdmissionPolicy[] = [...agentsPolicies, ...mirrorPolicies]

export type PolicyKind = KindRef<KubeObject & { spec: object }>

function policyKind(kind: string, plural: string): PolicyKind {
  return {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    namespaced: false,
    kind,
    plural,
  }
}

export const policyKinds: Readonly<Record<string, PolicyKind>> = {
  ValidatingAdmissionPolicy: policyKind('ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
  ValidatingAdmissionPolicyBinding: policyKind(
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
  ),
  MutatingAdmissionPolicy: policyKind('MutatingAdmissionPolicy', 'mutatingadmissionpolicies'),
  MutatingAdmissionPolicyBinding: policyKind(
    'MutatingAdmissionPolicyBinding',
    'mutatingadmissionpolicybindings',
  ),
}
