import { runConditions } from '@agents/status'
import { approvalReasons } from '../../policy-reasons.ts'

export const orchestrationRunConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The Orchestration exists and is ready, and can be run as requested.',
        False:
          'The Orchestration does not exist or is not ready, and the run waits for it; or the run can never be executed, and fails.',
      },
      reasons: {
        Accepted: 'The Orchestration exists and is ready.',
        DependencyMissing: 'The Orchestration does not exist yet.',
        DependencyNotReady: 'The Orchestration is not ready.',
        MissingOrchestrationRef: 'The run does not name an Orchestration.',
        InvalidParameters:
          'A parameter is missing, not declared, not one of its permitted values or too large, or there are too many.',
        CircularOrchestration: 'The Orchestration runs itself, directly or through others.',
        OrchestrationTooDeep: 'Orchestrations are nested more than 10 levels deep.',
        ResumeSourceMissing: 'The run to resume from does not exist.',
        ResumeSourceUnfinished: 'The run to resume from has not finished.',
        InvalidResume: 'The run to resume from is of another Orchestration, or lacks a named step.',
      },
    },
    {
      type: 'Admitted',
      doc: {
        True: 'The run may start its first steps.',
        False: 'The run waits for an approval, or was not approved; see the message.',
      },
      reasons: { Admitted: 'The run may start.', ...approvalReasons },
    },
    {
      type: 'Started',
      doc: { True: 'The first step started.', False: 'No step has started.' },
      reasons: {
        Started: 'The first step started.',
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
    BudgetExceeded: 'The run was stopped with all its steps because a Budget is exhausted.',
    TemplateInvalid: 'A template refers to a value that does not exist or is too large.',
    ExpressionInvalid: 'A CEL expression failed or was too costly.',
    LoopLimit: 'A loop has more than 256 items, or its list is not a list.',
    OutputsTooLarge: 'The outputs of a step or of the run exceed 16 KiB.',
    ChildRejected: 'The object of a step was rejected by the API server.',
    ChildConflict: 'An object with the name of a step exists and belongs to something else.',
    ChildMissing: 'The object of a step was deleted before its outcome was recorded.',
  },
})
