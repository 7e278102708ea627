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
import { platformKinds } from '../cluster/known-kinds.ts'
import { platformNamespace } from '../cluster/open-cluster.ts'

const fieldManager = 'agentctl-up'

/** The kinds, from the same declarations as charts/agents/crds, and the namespace that runs live in. */
export async function installKinds(client: KubeClient, signal: AbortSignal): Promise<void> {
  const { items } = await client.list(CustomResourceDefinitionKind, { signal })
  const present = new Map(items.map((each) => [each.metadata.name, each]))
  const definitions = platformKinds
    .map((kind) => customResourceDefinition(kind))
    .filter((wanted) => !isSame(wanted, present.get(wanted.metadata.name)))
  await Promise.all([
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

/** Checking a definition takes the server long enough to look first. What it adds on its own does not count. */
function isSame(wanted: DeclaredDefinition, found: CustomResourceDefinition | undefined): boolean {
  if (found === undefined || found.spec.scope !== wanted.spec.scope) return false
  const names = { ...found.spec.names, ...wanted.spec.names }
  return sameJson(wanted.spec.versions, found.spec.versions) && sameJson(names, found.spec.names)
}
