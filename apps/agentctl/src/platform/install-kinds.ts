import {
  customResourceDefinition,
  type CustomResourceDefinition as DeclaredDefinition,
} from '@agents/crd'
import {
  type Applied,
  type CustomResourceDefinition,
  CustomResourceDefinitionKind,
  isAlreadyExists,
  type KubeClient,
  NamespaceKind,
  sameJson,
} from '@agents/kube'
import { declaredKinds } from '../cluster/declared-kinds.ts'
import { platformNamespace } from '../cluster/open-cluster.ts'
import { installPolicies } from './install-policies.ts'

const fieldManager = 'agentctl-up'

/**
 * Installs the kinds and their admission policies, from the same declarations as the chart, and the namespace of the
 * platform.
 */
export async function installKinds(client: KubeClient, signal: AbortSignal): Promise<void> {
  const { items } = await client.list(CustomResourceDefinitionKind, { signal })
  const present = new Map(items.map((each) => [each.metadata.name, each]))
  const definitions = declaredKinds
    .map((kind) => customResourceDefinition(kind))
    .filter((wanted) => !isSame(wanted, present.get(wanted.metadata.name)))
  await Promise.all([
    installPolicies(client, signal),
    ...definitions.map((definition) =>
      client.apply(CustomResourceDefinitionKind, definition as Applied<CustomResourceDefinition>, {
        fieldManager,
        signal,
      }),
    ),
    client
      .create(NamespaceKind, { metadata: { name: platformNamespace } }, { fieldManager, signal })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error
      }),
  ])
}

/**
 * Whether a definition is up to date. Applying it is slow even without a change. Fields that the server adds are
 * ignored.
 */
function isSame(wanted: DeclaredDefinition, found: CustomResourceDefinition | undefined): boolean {
  if (found === undefined || found.spec.scope !== wanted.spec.scope) return false
  const names = { ...found.spec.names, ...wanted.spec.names }
  return sameJson(wanted.spec.versions, found.spec.versions) && sameJson(names, found.spec.names)
}
