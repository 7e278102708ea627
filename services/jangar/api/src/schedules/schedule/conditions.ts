import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const scheduleConditions = livingConditions({
  gates: [
    validated({
      InvalidCron: 'The times cannot be understood.',
      UnknownTimezone: 'There is no such time zone.',
      UnsupportedTarget: 'Runs of this kind cannot be scheduled.',
      ForeignNamespace: 'The target is in another namespace.',
    }),
    {
      type: 'TargetResolved',
      doc: {
        True: 'What is to be run is known.',
        False: 'The run to make copies of is not there yet.',
      },
      reasons: {
        Resolved: 'The run to make copies of is there.',
        Inline: 'What is to be run is written in the schedule.',
        TargetMissing: 'There is no run of this name.',
      },
    },
    {
      type: 'Scheduled',
      doc: {
        True: 'Runs are started when they are due, or the schedule is paused on purpose.',
        False: 'The last run that was due could not be started.',
      },
      reasons: {
        Scheduled: 'The next run is due at status.nextRunTime.',
        Suspended: 'Paused on purpose.',
        NeverDue: 'The times never come.',
        StartFailed: 'The last run that was due could not be created.',
      },
    },
  ],
})
