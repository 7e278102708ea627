import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const scheduleConditions = livingConditions({
  gates: [
    validated({
      InvalidCron: 'The cron expression is invalid.',
      UnknownTimezone: 'The time zone is unknown.',
      UnsupportedTarget: 'Runs of this kind cannot be scheduled.',
      ForeignNamespace: 'The target is in another namespace.',
    }),
    {
      type: 'TargetResolved',
      doc: {
        True: 'The target is inline or exists.',
        False: 'The referenced run does not exist, or was created again.',
      },
      reasons: {
        Resolved: 'The referenced run exists.',
        Inline: 'The schedule contains the template of the run.',
        TargetMissing: 'The referenced run does not exist.',
        TargetReplaced:
          'The referenced run was deleted and created again since the spec took effect.',
      },
    },
    {
      type: 'Scheduled',
      doc: {
        True: 'Runs are started when they are due, or the schedule is suspended.',
        False:
          'The last run that was due could not be started, or an earlier one could not be cancelled.',
      },
      reasons: {
        Scheduled: 'The next run is due at status.nextRunTime.',
        Suspended: 'The schedule is suspended.',
        NeverDue: 'The cron expression never matches.',
        StartFailed: 'The last run that was due could not be created.',
        CancelFailed: 'A run that a later one replaces could not be cancelled.',
      },
    },
  ],
})
