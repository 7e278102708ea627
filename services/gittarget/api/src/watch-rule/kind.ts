import { defineKind, list, type ObjectOf, object } from '@agents/crd'
import { gitops } from '../group.ts'
import { resourceRuleFields } from '../mirrored-resources/resource-rule.ts'
import { streamStatus, streamsColumn } from '../mirrored-resources/stream-status.ts'
import { message, ready, reason } from '../printer-column.ts'
import { localRef } from '../reference.ts'

const spec = object('What is mirrored, and to which target.', {
  targetRef: localRef('The GitTarget that the objects are mirrored to.'),
  rules: list(
    'What is mirrored from the namespace of this WatchRule: whatever one of the rules chooses.',
    object('A choice of objects.', resourceRuleFields),
    { minItems: 1, maxItems: 32, 'x-kubernetes-list-type': 'atomic' },
  ),
})

export const watchRule = defineKind({
  ...gitops,
  kind: 'WatchRule',
  plural: 'watchrules',
  shortNames: ['wr'],
  scope: 'Namespaced',
  description: 'Chooses objects of its own namespace for a GitTarget to mirror.',
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
