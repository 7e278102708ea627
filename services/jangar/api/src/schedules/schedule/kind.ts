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

const targetRef = object('An existing run that is copied each time.', {
  apiVersion: optional(string('API version of the run.')),
  kind: string('AgentRun, OrchestrationRun or ToolRun.'),
  name: string('Name of the run.'),
  namespace: optional(string('Namespace of the run. It must be that of the schedule.')),
})

const template = object('Template of the run that is created each time.', {
  kind: oneOfStrings('Kind of the run.', ['AgentRun', 'OrchestrationRun', 'ToolRun']),
  metadata: optional(
    object('Metadata of the run, added to the labels of the schedule.', {
      labels: optional(map('Labels.', string('Value of the label.'))),
      annotations: optional(map('Annotations.', string('Value of the annotation.'))),
    }),
  ),
  spec: freeObject('Spec of the run, as its kind defines it.'),
})

export const schedule = defineKind({
  ...platform,
  group: group.schedules,
  kind: 'Schedule',
  plural: 'schedules',
  shortNames: ['sched'],
  description: 'Starts a run periodically, as a cron expression specifies.',
  spec: withRules(
    object('The times and the run.', {
      cron: string(
        'Cron expression: minute, hour, day of month, month and day of week, or a macro such as @daily.',
      ),
      timezone: optional(
        string(
          'Time zone of the cron expression, such as Europe/Vienna. If omitted, defaults to UTC.',
        ),
      ),
      targetRef: optional(targetRef),
      template: optional(template),
      suspend: withDefault(boolean('If true, no runs are started.'), false),
      startingDeadlineSeconds: optional(
        nonNegativeInt32(
          'Seconds by which a run may be started late, for example after an outage. If omitted, only the latest missed run is started.',
        ),
      ),
      concurrencyPolicy: withDefault(
        oneOfStrings(
          'How to treat a run that is due while the previous one is active: Allow starts it, Forbid skips it, Replace starts it and cancels the previous one.',
          ['Allow', 'Forbid', 'Replace'],
        ),
        'Forbid',
      ),
      jitterSeconds: optional(
        nonNegativeInt32(
          'Each run starts up to this many seconds late, by a fixed amount for each of its times, so that schedules with the same cron expression do not all start at once.',
        ),
      ),
      successfulRunsHistoryLimit: withDefault(
        nonNegativeInt32('How many succeeded runs are kept. Older ones are deleted.'),
        3,
      ),
      failedRunsHistoryLimit: withDefault(
        nonNegativeInt32('How many failed or cancelled runs are kept. Older ones are deleted.'),
        1,
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
    lastScheduleTime: optional(
      timestamp(
        'The last time of the cron expression that was handled: its run was started or skipped.',
      ),
    ),
    targetUid: optional(
      string(
        'UID of the run that targetRef named when the current spec took effect. A run of the same name that is created later is not copied.',
      ),
    ),
    activeSince: optional(
      timestamp('When the current spec took effect. Earlier times are not caught up with.'),
    ),
    active: optional(nonNegativeInt32('Number of runs that have not ended.')),
    missedRuns: optional(
      nonNegativeInt32(
        'Number of runs that were due and not started: they were too late, or an earlier run was still active.',
      ),
    ),
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
