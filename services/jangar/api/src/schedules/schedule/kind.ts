import {
  boolean,
  defineKind,
  freeObject,
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
import { observedObject } from '../../reference.ts'
import { phaseField } from '../../status-field.ts'
import { schedulePhase } from './phase.ts'

const targetRef = object('A run that is there already; a copy of it is made each time.', {
  apiVersion: optional(string('API version of the run.')),
  kind: string('AgentRun or OrchestrationRun.'),
  name: string('Name of the run.'),
  namespace: optional(string('Namespace of the run; only that of the schedule is allowed.')),
})

const template = object('The run to make each time.', {
  kind: oneOfStrings('Which kind of run.', ['AgentRun', 'OrchestrationRun', 'ToolRun']),
  metadata: optional(
    object('What the run gets besides the labels of the schedule.', {
      labels: optional(map('Labels.', string('Value of the label.'))),
      annotations: optional(map('Annotations.', string('Value of the annotation.'))),
    }),
  ),
  spec: freeObject('Spec of the run; its own kind says what may be in it.'),
})

export const schedule = defineKind({
  ...platform,
  group: group.schedules,
  kind: 'Schedule',
  plural: 'schedules',
  shortNames: ['sched'],
  description: 'Starts a run again and again, at set times.',
  spec: withRules(
    object('When, and what.', {
      cron: string('When: minute, hour, day of month, month, day of week, or a word as @daily.'),
      timezone: optional(string('Time zone of those times, such as Europe/Vienna; left out, UTC.')),
      targetRef: optional(targetRef),
      template: optional(template),
      suspend: withDefault(boolean('Start nothing while true.'), false),
      startingDeadlineSeconds: optional(
        nonNegativeInt32(
          'How late a run may still be started, after an outage say. Left out, only the latest missed time is caught up with.',
        ),
      ),
      concurrencyPolicy: withDefault(
        oneOfStrings(
          'What happens when the previous run has not ended: Allow starts another, Forbid leaves this time out, Replace cancels the previous one first.',
          ['Allow', 'Forbid', 'Replace'],
        ),
        'Forbid',
      ),
    }),
    {
      rule: 'has(self.targetRef) != has(self.template)',
      message: 'set targetRef or template, and only one of them',
    },
  ),
  specOptional: true,
  status: statusObject({
    phase: phaseField(schedulePhase),
    lastRunTime: optional(timestamp('When a run was last started.')),
    nextRunTime: optional(timestamp('When the next run is due.')),
    lastRunRef: optional(observedObject('The run that was last started.')),
  }),
  columns: [
    phase,
    { name: 'Cron', type: 'string', jsonPath: '.spec.cron' },
    { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
    { name: 'LastRun', type: 'date', jsonPath: '.status.lastRunTime' },
    ready,
    readyReason,
    { name: 'Timezone', type: 'string', jsonPath: '.spec.timezone', priority: 1 },
    { name: 'NextRun', type: 'string', jsonPath: '.status.nextRunTime', priority: 1 },
    readyMessage,
  ],
  summary: 'Ready',
})

export type Schedule = ObjectOf<typeof schedule>
