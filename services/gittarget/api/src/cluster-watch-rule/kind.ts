import {
  defineKind,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  withRules,
} from '@agents/crd'
import { globPattern } from '../glob.ts'
import { gitops } from '../group.ts'
import { labelSelector } from '../mirrored-resources/label-selector.ts'
import { resourceRuleFields, statusOfNamedResources } from '../mirrored-resources/resource-rule.ts'
import { streamStatus, streamsColumn } from '../mirrored-resources/stream-status.ts'
import { message, ready, reason } from '../printer-column.ts'
import { namespaceName, objectName } from '../reference.ts'

const rule = withRules(
  object('Selects objects by resource, labels and name.', {
    scope: oneOfStrings(
      'Cluster selects cluster-scoped objects, Namespaced selects objects in all namespaces.',
      ['Cluster', 'Namespaced'],
    ),
    ...resourceRuleFields,
    namespaceSelector: optional(
      labelSelector(
        'Selects namespaces by their labels, for scope Namespaced. If omitted, all namespaces are selected.',
      ),
    ),
    excludeNamespaces: optional(
      list(
        'Namespaces that are not selected, for scope Namespaced.',
        globPattern('A name or pattern, such as kube-* or preview-*.'),
        { maxItems: 128, 'x-kubernetes-list-type': 'set' },
      ),
    ),
  }),
  statusOfNamedResources,
  {
    rule: "self.scope == 'Namespaced' || !has(self.excludeNamespaces)",
    message: 'excludeNamespaces requires scope Namespaced',
    fieldPath: '.excludeNamespaces',
  },
  {
    rule: "self.scope == 'Namespaced' || !has(self.namespaceSelector)",
    message: 'namespaceSelector requires scope Namespaced',
    fieldPath: '.namespaceSelector',
  },
)

const spec = object('Which objects are mirrored, and to which target.', {
  targetRef: object(
    'GitTarget that the objects are mirrored to. It must set spec.allowClusterRules.',
    {
      namespace: namespaceName('Namespace of the GitTarget.'),
      name: objectName('Name of the GitTarget.'),
    },
  ),
  rules: list('Selects objects. Objects that match at least one rule are mirrored.', rule, {
    minItems: 1,
    maxItems: 32,
    'x-kubernetes-list-type': 'atomic',
  }),
})

export const clusterWatchRule = defineKind({
  ...gitops,
  kind: 'ClusterWatchRule',
  plural: 'clusterwatchrules',
  shortNames: ['cwr'],
  scope: 'Cluster',
  description:
    'Selects cluster-scoped objects, or objects of several namespaces, for a GitTarget to mirror. The target must set spec.allowClusterRules.',
  spec,
  status: streamStatus,
  columns: [
    ready,
    reason,
    {
      name: 'Namespace',
      type: 'string',
      jsonPath: '.spec.targetRef.namespace',
      description: 'Namespace of the GitTarget.',
    },
    {
      name: 'Target',
      type: 'string',
      jsonPath: '.spec.targetRef.name',
      description: 'The GitTarget.',
    },
    streamsColumn,
    message,
  ],
  summary: 'Ready',
})

export type ClusterWatchRule = ObjectOf<typeof clusterWatchRule>
