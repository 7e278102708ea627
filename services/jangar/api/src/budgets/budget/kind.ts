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

function amounts(description: string) {
  return object(
    description,
    {
      tokens: optional(string('Input and output tokens.')),
      dollars: optional(string('US dollars, as a decimal number.')),
      cpu: optional(string('CPU of active runs, as a Kubernetes quantity.')),
      memory: optional(string('Memory of active runs, as a Kubernetes quantity.')),
      gpu: optional(string('GPUs of active runs, as a Kubernetes quantity.')),
    },
    { 'x-kubernetes-preserve-unknown-fields': true },
  )
}

const selector = object('Only runs whose labels match all requirements.', {
  matchLabels: optional(map('Labels and their values.', string('Value of the label.'))),
  matchExpressions: optional(
    list(
      'Label selector requirements.',
      object('A requirement.', {
        key: string('Name of the label.'),
        operator: oneOfStrings('Relation of the label to the values.', [
          'In',
          'NotIn',
          'Exists',
          'DoesNotExist',
        ]),
        values: optional(list('Values for In and NotIn.', string('A value.'))),
      }),
    ),
  ),
})

const scope = withRules(
  object('Which runs are counted. If omitted, all runs of the namespace.', {
    agentRef: optional(localRef('Only runs of this Agent.')),
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
  description: 'Limits on what runs consume per day, per month, or in total.',
  spec: object('The limits, and what counts against them.', {
    limits: optional(amounts('Limits. An omitted resource is not limited.')),
    window: withDefault(
      oneOfStrings('When usage is reset: every day, every month (UTC), or never.', [
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
    used: optional(amounts('Usage in the current window.')),
    windowStartedAt: optional(timestamp('When the current window started.')),
    windowEndsAt: optional(timestamp('When usage is reset.')),
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
