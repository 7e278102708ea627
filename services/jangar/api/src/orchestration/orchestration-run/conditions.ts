import { runConditions } from '@agents/status'

export const orchestrationRunConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The Orchestration exists and is ready.',
        False: 'The Orchestration does not exist or is not ready, and the run waits for it.',
      },
      reasons: {
        Accepted: 'The Orchestration exists and is ready.',
        DependencyMissing: 'The Orchestration does not exist yet.',
        DependencyNotReady: 'The Orchestration is not ready.',
        InvalidParameters: 'There are too many parameters, or one of them is too large.',
        OrchestrationTooDeep: 'Orchestrations are nested too deeply.',
      },
    },
    {
      type: 'Started',
      doc: { True: 'The first step started.', False: 'No step has started.' },
      reasons: {
        Started: 'The first step started.',
        WaitingForApproval: 'The first steps wait for an approval.',
        WaitingForSignal: 'The first steps wait for a signal.',
        Submitting: 'The first steps are being created.',
      },
    },
  ],
  progress: {
    WaitingForApproval: 'The run waits for an approval.',
    WaitingForSignal: 'The run waits for a signal.',
    Retrying: 'An attempt of a step failed, and another one follows.',
    Cancelling: 'The run is being cancelled.',
  },
  failures: {
    StepFailed: 'A step failed.',
    StepTimedOut: 'A step exceeded its timeout.',
    RetriesExhausted: 'All attempts of a step failed.',
    ApprovalDenied: 'The approval of a step was denied.',
    TimedOut: 'The run exceeded its timeout.',
  },
})
