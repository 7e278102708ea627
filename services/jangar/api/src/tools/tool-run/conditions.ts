import { runConditions } from '@agents/status'

export const toolRunConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The Tool is there and can be run with these parameters.',
        False: 'The Tool is not there, which is waited for, or cannot be run this way.',
      },
      reasons: {
        Accepted: 'The Tool is there and can be run.',
        DependencyMissing: 'There is no Tool of this name yet.',
        DependencyNotReady: 'The Tool is there, but not ready.',
        InvalidParameters: 'There are too many parameters, or one of them is too large.',
        InvalidTemplate: 'A template refers to something that is not there.',
      },
    },
    {
      type: 'Started',
      doc: { True: 'Its program has begun.', False: 'Its program has not begun.' },
      reasons: {
        Started: 'Its program has begun.',
        Submitting: 'Its Job is being created.',
        Scheduling: 'No node has taken it yet.',
        ImageUnavailable: 'Its image cannot be pulled.',
        PodNotReady: 'Its container cannot be started yet.',
        SubmitFailed: 'Its Job could not be created.',
      },
    },
  ],
  failures: {
    JobFailed: 'Its program ended with an error.',
    JobMissing: 'Its Job vanished before the outcome was known.',
    TimedOut: 'It took longer than the Tool allows.',
  },
})
