import { type PolicyObject, policyObjects } from '@agents/crd'
import { admissionPolicies as mirrorPolicies } from '@agents/gittarget-api'
import { admissionPolicies as agentsPolicies } from '@agents/jangar-api'
import type { KindRef, KubeClient, KubeObject } from '@agents/kube'

const plurals: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
}

/**
 * Creates the validating and mutating policies of the platform, as the chart renders them by default. Returns how to
 * remove them.
 */
export async function createAdmissionPolicies(client: KubeClient): Promise<() => Promise<void>> {
  const policies = [...agentsPolicies, ...mirrorPolicies]
  const objects = policyObjects(policies, { prefix: 'bench', accounts: [] })
  for (const object of objects) {
    await client.create(kindOf(object), { metadata: object.metadata, spec: object.spec })
  }
  return async () => {
    for (const object of objects) await client.delete(kindOf(object), object.metadata)
  }
}

function kindOf({ kind }: PolicyObject): KindRef<KubeObject & { spec: object }> {
  const plural = plurals[kind]
  if (plural === undefined) throw new Error(`unknown kind of admission policy: ${kind}`)
  return { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false, kind, plural }
}
