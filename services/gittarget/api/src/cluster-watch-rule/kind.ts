import {
  defineKind,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  withRules,
} from '@agents/crd'
import { gitops } from '../group.ts'
import { labelSelector } from '../mirrored-resources/label-selector.ts'
import { resourceRuleFields } from '../mirrored-resources/resource-rule.ts'
import { streamStatus, streamsColumn } from '../mirrored-resources/stream-status.ts'
import { message, ready, reason } from '../printer-column.ts'
import { namespaceName, objectName } from '../reference.ts'

const rule = withRules(
  object('A choice of objects.', {
    scope: oneOfStrings(
      'Cluster chooses among objects without a namespace, Namespaced among those of all namespaces.',
      ['Cluster', 'Namespaced'],
    ),
    ...resourceRuleFields,
    namespaceSelector: optional(
      labelSelector(
        'Chooses namespaces by their labels, for scope Namespaced. Left out, all of them.',
      ),
    ),
  }),
  {
    rule: "self.scope == 'Namespaced' || !has(self.namespaceSelector)",
    message: 'namespaceSelector needs scope Namespaced',
    fieldPath: '.namespaceSelector',
  },
)

const spec = object('What is mirrored, and to which target.', {
  targetRef: object(
    'The GitTarget that the objects are mirrored to. It must allow it with spec.allowClusterRules.',
    {
      namespace: namespaceName('Its namespace.'),
      name: objectName('Its name.'),
    },
  ),
  rules: list('What is mirrored: whatever one of the rules chooses.', rule, {
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
    'Chooses objects of the whole cluster, or of many namespaces, for a GitTarget to mirror. The target must allow it.',
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
