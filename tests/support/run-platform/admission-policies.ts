import { setTimeout as delay } from 'node:timers/promises'
import { type PolicyObject, policyObjects } from '@agents/crd'
import { admissionPolicies as mirrorPolicies } from '@agents/gittarget-api'
import {
  type AgentRun,
  agentRun,
  admissionPolicies as agentsPolicies,
  attemptLabel,
  requestedByAnnotation,
} from '@agents/jangar-api'
import {
  JobKind,
  type KindRef,
  type KubeClient,
  KubeError,
  type KubeObject,
  kindRef,
} from '@agents/kube'

const runs = kindRef<AgentRun>(agentRun)
const plurals: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
}

/**
 * The validating and mutating policies, as the chart renders them by default. `accounts`: the users that are the
 * platform.
 */
export function platformPolicyObjects(accounts: readonly string[] = []): readonly PolicyObject[] {
  const policies = [...agentsPolicies, ...mirrorPolicies]
  return policyObjects(policies, { prefix: 'bench', accounts })
}

export async function createPolicyObject(client: KubeClient, object: PolicyObject): Promise<void> {
  await client.create(kindOf(object), { metadata: object.metadata, spec: object.spec })
}

/** Creates them, and resolves when the API server applies them to runs in the namespace, which takes a moment. */
export async function installAdmissionPolicies(
  client: KubeClient,
  namespace: string,
  accounts?: readonly string[],
): Promise<void> {
  for (const object of platformPolicyObjects(accounts)) await createPolicyObject(client, object)
  const probe = {
    metadata: { name: 'probe', namespace },
    spec: {
      agentRef: { name: 'probe' },
      implementation: { inline: { text: 'probe' } },
      runtime: { type: 'job' },
    },
  }
  const isStamped = async (): Promise<boolean> => {
    try {
      const { metadata } = await client.create(runs, probe as never, { dryRun: true })
      return metadata.annotations?.[requestedByAnnotation] !== undefined
    } catch (error) {
      // kube-apiserver cannot mutate objects of a kind until it has published the kind's schema.
      if (error instanceof KubeError && error.code === 503) return false
      throw error
    }
  }
  const job = {
    metadata: { name: 'probe', namespace, labels: { [attemptLabel]: '1' } },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'probe', image: 'probe' }] },
      },
    },
  }
  const isUntracked = async (): Promise<boolean> => {
    const { metadata } = await client.create(JobKind, job as never, { dryRun: true })
    return metadata.managedFields === undefined
  }
  while (!((await isStamped()) && (await isUntracked()))) await delay(100)
}

function kindOf({ kind }: PolicyObject): KindRef<KubeObject & { spec: object }> {
  const plural = plurals[kind]
  if (plural === undefined) throw new Error(`unknown kind of admission policy: ${kind}`)
  return { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false, kind, plural }
}
