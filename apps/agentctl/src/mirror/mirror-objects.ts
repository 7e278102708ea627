import type { KubeObject } from '@agents/kube'
import { platformKinds } from '../cluster/known-kinds.ts'
import { platformNamespace as namespace } from '../cluster/open-cluster.ts'
import type { MirrorRepository } from './mirror-repository.ts'

/** All of them have it. */
export const mirrorName = 'mirror'

/** Where a repository that asks for them finds user and password, or a key. */
export const credentialsName = 'mirror-credentials'

/** What has the platform's own resources mirrored into the repository: everything of our groups, wherever it is. */
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
      kind: 'GitTarget',
      metadata: { name: mirrorName, namespace },
      spec: {
        providerRef: { name: mirrorName },
        branch: 'main',
        path: 'platform',
        allowClusterRules: true,
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
