import { type KubeObject, sameJson } from '@agents/kube'
import type { PolicyRule } from '../auth/rbac/policy.ts'
import type { Registry } from '../registry/registry.ts'
import { type LabelSelectorObject, selectsLabels } from '../selector/label-selector-object.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import { type InternalClient, ignoreMissing } from './internal-client.ts'
import { RetryQueue } from './retry-queue.ts'

interface RoleAggregationOptions {
  readonly store: Store
  readonly registry: Registry
  readonly client: InternalClient
  readonly onError: (key: string, error: unknown) => void
}

const prefix = '/rbac.authorization.k8s.io/clusterroles/'

interface ClusterRole extends KubeObject {
  rules?: PolicyRule[] | null
  aggregationRule?: { clusterRoleSelectors?: LabelSelectorObject[] } | null
}

/** Sets the rules of aggregated ClusterRoles, such as `admin`, `edit` and `view`, from the roles that they select. */
export function startRoleAggregation(options: RoleAggregationOptions): BackgroundTask {
  const { store, onError } = options
  const queue = new RetryQueue(() => aggregate(options), onError)
  const { revision } = store.list(prefix)
  queue.add(prefix)
  const watch = store.watch(prefix, revision, () => queue.add(prefix))
  return {
    async stop() {
      watch.close()
      await queue.stop()
    },
    idle: () => queue.idle(),
  }
}

async function aggregate({ store, registry, client }: RoleAggregationOptions): Promise<void> {
  const resource = registry.find('rbac.authorization.k8s.io', 'v1', 'clusterroles')
  if (resource === undefined) return
  const roles = store.list(prefix).entries.map(({ value }) => value as ClusterRole)
  for (const role of roles) {
    const selectors = role.aggregationRule?.clusterRoleSelectors
    if (selectors === undefined || selectors.length === 0) continue
    const rules = aggregatedRules(role, roles, (labels) =>
      selectors.some((selector) => selectsLabels(selector, labels)),
    )
    if (sameJson(role.rules ?? [], rules)) continue
    const target = { resource, namespace: '', name: role.metadata.name }
    await ignoreMissing(client.update(target, (live) => ({ ...live, rules }) as ClusterRole))
  }
}

/** The rules of the selected roles, sorted by role name and without duplicates. */
function aggregatedRules(
  role: ClusterRole,
  roles: readonly ClusterRole[],
  chosen: (labels: Readonly<Record<string, string>>) => boolean,
): PolicyRule[] {
  const rules: PolicyRule[] = []
  for (const other of roles) {
    if (other.metadata.name === role.metadata.name || !chosen(other.metadata.labels ?? {})) continue
    for (const rule of other.rules ?? []) {
      if (!rules.some((each) => sameJson(each, rule))) rules.push(rule)
    }
  }
  return rules
}
