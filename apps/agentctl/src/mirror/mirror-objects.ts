import type { KubeObject } from '@agents/kube'
import { platformKinds } from '../cluster/known-kinds.ts'
import { platformNamespace as namespace } from '../cluster/open-cluster.ts'
import type { MirrorRepository } from './mirror-repository.ts'

/** The name of the GitProvider, the GitTarget and the ClusterWatchRule. */
export const mirrorName = 'mirror'

/** The Secret with user and password, or with a key, of a repository that requires credentials. */
export const credentialsName = 'mirror-credentials'

/**
 * The objects that mirror the platform's own resources into a repository: all kinds of our groups in all namespaces.
 * The rule comes before the target, which would otherwise be ready for a moment with nothing to mirror.
 */
export function mirrorObjects({ url, needsCredentials }: MirrorRepository): KubeObject[] {
  const apiVersion = 'gitops.proompteng.ai/v1alpha1'
  const objects = [
    {
      apiVersion,
      kind: 'GitProvider',
      metadata: { name: mirrorName, namespace },
      spec: {
        url,
        allowedBranches: ['main'],
        push: { commitWindow: '1s', maxWindow: '10s' },
        ...(needsCredentials && { secretRef: { name: credentialsName } }),
      },
    },
    {
      apiVersion,
      kind: 'ClusterWatchRule',
      metadata: { name: mirrorName },
      spec: {
        targetRef: { namespace, name: mirrorName },
        rules: [...rulesFor('Namespaced'), ...rulesFor('Cluster')],
      },
    },
    {
      apiVersion,
      kind: 'GitTarget',
      metadata: { name: mirrorName, namespace },
      spec: {
        providerRef: { name: mirrorName },
        branch: 'main',
        path: 'platform',
        allowClusterRules: true,
      },
    },
  ]
  return objects as KubeObject[]
}

function rulesFor(scope: 'Namespaced' | 'Cluster'): object[] {
  const own = platformKinds.filter((kind) => kind.scope === scope)
  const byGroup = Map.groupBy(own, ({ group }) => group)
  return [...byGroup].map(([group, kinds]) => ({
    scope,
    apiGroups: [group],
    resources: kinds.map(({ plural }) => plural),
  }))
}
