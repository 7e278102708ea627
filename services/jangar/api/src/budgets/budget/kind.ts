import {
  defineKind,
  list,
  map,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
  withDefault,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { phaseField } from '../../status-field.ts'
import { budgetPhase } from './phase.ts'

const amounts = (description: string) =>
  object(
    description,
    {
      tokens: optional(string('Tokens read and written by models.')),
      dollars: optional(string('US dollars, as a decimal number.')),
      cpu: optional(string('CPU of running work, as a Kubernetes quantity.')),
      memory: optional(string('Memory of running work, as a Kubernetes quantity.')),
      gpu: optional(string('GPUs of running work, as a Kubernetes quantity.')),
    },
    { 'x-kubernetes-preserve-unknown-fields': true },
  )

const selector = object('Work whose labels match; all that is said must be so.', {
  matchLabels: optional(map('Labels and their values.', string('Value of the label.'))),
  matchExpressions: optional(
    list(
      'Further demands on labels.',
      object('One demand.', {
        key: string('Name of the label.'),
        operator: oneOfStrings('How the label is looked at.', [
          'In',
          'NotIn',
          'Exists',
          'DoesNotExist',
        ]),
        values: optional(list('Values for In and NotIn.', string('One value.'))),
      }),
    ),
  ),
})

const scope = withRules(
  object('Whose work is counted; left out, all work of the namespace.', {
    agentRef: optional(localRef('Only the work of this Agent.')),
    labelSelector: optional(selector),
  }),
  {
    rule: '!(has(self.agentRef) && has(self.labelSelector))',
    message: 'set agentRef or labelSelector, not both',
  },
)

export const budget = defineKind({
  ...platform,
  group: group.budgets,
  kind: 'Budget',
  plural: 'budgets',
  shortNames: ['bdg'],
  description: 'How much work may consume, in a day, a month, or altogether.',
  spec: object('The limits, and what counts against them.', {
    limits: optional(amounts('What may be used at most; what is left out is not limited.')),
    window: withDefault(
      oneOfStrings('When counting begins anew: each day, each month (UTC), or never.', [
        'day',
        'month',
        'none',
      ]),
      'none',
    ),
    scope: optional(scope),
  }),
  specOptional: true,
  status: statusObject({
    phase: phaseField(budgetPhase),
    used: optional(amounts('What was used in the current window.')),
    windowStartedAt: optional(timestamp('When the current window began.')),
    windowEndsAt: optional(timestamp('When counting begins anew.')),
  }),
  columns: [
    phase,
    { name: 'Window', type: 'string', jsonPath: '.spec.window' },
    { name: 'Tokens', type: 'string', jsonPath: '.status.used.tokens' },
    { name: 'Dollars', type: 'string', jsonPath: '.status.used.dollars' },
    ready,
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Budget = ObjectOf<typeof budget>
