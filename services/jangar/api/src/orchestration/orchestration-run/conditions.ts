import { runConditions } from '@agents/status'

export const orchestrationRunConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The Orchestration is there and ready.',
        False: 'The Orchestration is not there or not ready, which is waited for.',
      },
      reasons: {
        Accepted: 'The Orchestration is there and ready.',
        DependencyMissing: 'There is no Orchestration of this name yet.',
        DependencyNotReady: 'The Orchestration is there, but not ready.',
        InvalidParameters: 'There are too many parameters, or one of them is too large.',
        OrchestrationTooDeep: 'Orchestrations start each other too many times over.',
      },
    },
    {
      type: 'Started',
      doc: { True: 'Its first step has begun.', False: 'None of its steps has begun.' },
      reasons: {
        Started: 'Its first step has begun.',
        WaitingForApproval: 'Its first steps wait for a decision.',
        WaitingForSignal: 'Its first steps wait for a signal.',
        Submitting: 'Its first steps are being created.',
      },
    },
  ],
  progress: {
    WaitingForApproval: 'Nothing goes on until somebody has decided.',
    WaitingForSignal: 'Nothing goes on until a signal arrives.',
    Retrying: 'A step has failed, and its next attempt is on its way.',
    Cancelling: 'It is being stopped on request.',
  },
  failures: {
    StepFailed: 'One of its steps has failed.',
    StepTimedOut: 'One of its steps took longer than allowed.',
    RetriesExhausted: 'The last attempt of one of its steps has failed too.',
    ApprovalDenied: 'An approver decided against one of its steps.',
    TimedOut: 'It took longer than allowed.',
  },
})
