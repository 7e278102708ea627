import { defineKind, list, type ObjectOf, object, withRules } from '@agents/crd'
import { gitops } from '../group.ts'
import { resourceRuleFields, statusOfNamedResources } from '../mirrored-resources/resource-rule.ts'
import { streamStatus, streamsColumn } from '../mirrored-resources/stream-status.ts'
import { message, ready, reason } from '../printer-column.ts'
import { localRef } from '../reference.ts'

const spec = object('Which objects are mirrored, and to which target.', {
  targetRef: localRef('GitTarget that the objects are mirrored to.'),
  rules: list(
    'Selects objects in the namespace of this WatchRule. Objects that match at least one rule are mirrored.',
    withRules(
      object('Selects objects by resource, labels and name.', resourceRuleFields),
      statusOfNamedResources,
    ),
    { minItems: 1, maxItems: 32, 'x-kubernetes-list-type': 'atomic' },
  ),
})

export const watchRule = defineKind({
  ...gitops,
  kind: 'WatchRule',
  plural: 'watchrules',
  shortNames: ['wr'],
  scope: 'Namespaced',
  description: 'Selects objects of its own namespace for a GitTarget to mirror.',
  spec,
  status: streamStatus,
  columns: [
    ready,
    reason,
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

export type WatchRule = ObjectOf<typeof watchRule>
