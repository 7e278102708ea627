import {
  defineKind,
  integer,
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
import { nonNegativeInt32 } from '../../integer.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { phaseField } from '../../status-field.ts'
import { budgetPhase } from './phase.ts'

/** Reserved and counted amounts of models, which have no upper bound per run otherwise. */
export function modelAmounts(description: string) {
  return object(description, {
    tokens: optional(string('Input and output tokens, as a whole number.')),
    dollars: optional(string('US dollars, as a decimal number.')),
  })
}

function amounts(description: string) {
  return object(
    description,
    {
      tokens: optional(string('Input and output tokens, as a whole number.')),
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
  object('Which runs are counted. If omitted, all AgentRuns and ToolRuns of the namespace.', {
    agentRef: optional(localRef('Only AgentRuns of this Agent.')),
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
  description:
    'Limits on what runs consume per day, per month, or in total, and on what active runs request.',
  spec: object('The limits, and what counts against them.', {
    limits: optional(amounts('Limits. An omitted resource is not limited.')),
    window: withDefault(
      oneOfStrings('When usage is reset: every day, every month, or never.', [
        'day',
        'month',
        'none',
      ]),
      'none',
    ),
    timezone: optional(
      string(
        'Time zone in which days and months begin, such as Europe/Vienna. If omitted, defaults to UTC.',
      ),
    ),
    onExceeded: withDefault(
      oneOfStrings(
        'What happens when tokens or dollars reach their limit: Block keeps new runs waiting, Stop also stops running ones when the limit is passed, Warn only reports it.',
        ['Stop', 'Block', 'Warn'],
      ),
      'Stop',
    ),
    reservation: optional(
      modelAmounts(
        'What each run reserves until it ends, or spec.policy.reserve of the run if that is larger. Without a reservation, runs that start together can pass the limit together.',
      ),
    ),
    alerts: optional(
      list(
        'Percentages of a limit at which an event is recorded. If omitted, defaults to 50, 80 and 100.',
        integer('A percentage.', { minimum: 1, maximum: 100, format: 'int32' }),
        { maxItems: 10 },
      ),
    ),
    scope: optional(scope),
  }),
  specOptional: true,
  status: statusObject({
    phase: phaseField(budgetPhase),
    used: optional(
      amounts('Usage in the current window; of cpu, memory and gpu, what active runs request.'),
    ),
    reserved: optional(modelAmounts('What active runs have reserved and not used yet.')),
    activeRuns: optional(nonNegativeInt32('Number of active runs that count against it.')),
    unpricedTokens: optional(
      string('Tokens of models without a price in this window, which dollars do not include.'),
    ),
    source: optional(
      string('Where usage comes from: the runs that the cluster holds, or the ledger.'),
    ),
    alert: optional(nonNegativeInt32('Highest alert that usage has reached in this window.')),
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
