import { customResourceDefinition } from '@agents/crd'
import {
  type Applied,
  type CustomResourceDefinition,
  CustomResourceDefinitionKind,
  isAlreadyExists,
  type KubeClient,
  NamespaceKind,
} from '@agents/kube'
import { platformKinds } from '../cluster/known-kinds.ts'
import { platformNamespace } from '../cluster/open-cluster.ts'

const fieldManager = 'agentctl-up'

/** The kinds, from the same declarations as charts/agents/crds, and the namespace that runs live in. */
export async function installKinds(client: KubeClient): Promise<void> {
  await Promise.all([
    ...platformKinds.map((kind) => {
      const definition = customResourceDefinition(
        kind,
      ) as unknown as Applied<CustomResourceDefinition>
      return client.apply(CustomResourceDefinitionKind, definition, { fieldManager })
    }),
    client
      .create(NamespaceKind, { metadata: { name: platformNamespace } }, { fieldManager })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error
      }),
  ])
}
