import { runConditions } from '@agents/status'

export const toolRunConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The Tool exists and can be run with these parameters.',
        False:
          'The Tool does not exist or is not ready, and the run waits for it; or the parameters are invalid.',
      },
      reasons: {
        Accepted: 'The Tool exists and can be run.',
        DependencyMissing: 'The Tool does not exist yet.',
        DependencyNotReady: 'The Tool is not ready.',
        InvalidParameters: 'There are too many parameters, or one of them is too large.',
        InvalidTemplate: 'A template is invalid or refers to an unknown value.',
      },
    },
    {
      type: 'Started',
      doc: {
        True: 'The container of the run started.',
        False: 'The container of the run has not started.',
      },
      reasons: {
        Started: 'The container of the run started.',
        Submitting: 'The Job is being created, or its pod is starting.',
        Scheduling: 'The pod is waiting for a node.',
        ImageUnavailable: 'The image cannot be pulled.',
        PodNotReady: 'The container cannot start yet.',
        SubmitFailed: 'The Job could not be created.',
      },
    },
  ],
  failures: {
    JobFailed: 'The program exited with an error.',
    JobMissing: 'The Job was deleted before its outcome was recorded.',
    TimedOut: 'The run exceeded the timeout of the Tool.',
  },
})
