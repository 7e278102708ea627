import { runConditions } from '@agents/status'

/** What Accepted says when the run can never be run as it is written. */
const refusals = {
  UnsupportedRuntime: 'The platform has no runtime of this type.',
  InvalidRuntimeConfig: 'The runtime’s settings lack something or make no sense.',
  InvalidWorkflow: 'The workflow has no steps, or two of one name.',
  MissingImplementation: 'Neither the run nor the step says what to do.',
  InvalidParameters: 'There are too many parameters, or one of them is too large.',
  InvalidContract: 'The contract of the work makes no sense.',
  MissingRequiredMetadata: 'The work asks for facts that the run does not bring along.',
  InvalidTemplate: 'A template refers to something that is not there.',
  WorkTooLarge: 'What the run is to be told does not fit into a pod.',
  InvalidSystemPrompt: 'The standing instructions are empty or too long.',
  MissingRequiredLabels: 'The run lacks labels that the platform demands.',
  LabelBlocked: 'The run carries a label that the platform forbids.',
  LabelNotAllowed: 'The run carries a label that the platform does not allow.',
  MissingWorkloadImage: 'No image is given, and the platform has none of its own.',
  ImageBlocked: 'The image is forbidden by the platform.',
  ImageNotAllowed: 'The image is not among those that the platform allows.',
  ServiceAccountNotAllowed: 'The agent does not allow this service account.',
  SecretBlocked: 'A Secret is forbidden by the platform.',
  SecretNotAllowed: 'A Secret is not among those that the agent or the SecretBinding allows.',
  UnsupportedPolicy: 'A policy that the run names cannot be enforced for it.',
  MissingRepository: 'Version control is required, and no repository is given.',
  VcsPolicyDenied: 'The VersionControlProvider does not allow this repository.',
  VcsCapabilityDenied: 'The VersionControlProvider does not allow what the run requires.',
  UnsupportedVcsAuth: 'The service does not support this way of signing in.',
  MissingVcsAuth: 'Version control is required, and there is no way of signing in.',
  DuplicateIdempotencyKey: 'Another run of the agent has the same idempotency key.',
} as const

export const agentRunConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'All that the run refers to is there, and all that it asks for is allowed.',
        False: 'Something is missing, which is waited for, or not allowed, which ends the run.',
      },
      reasons: {
        Accepted: 'All is there and allowed.',
        DependencyMissing: 'Something that the run refers to is not there yet.',
        DependencyNotReady: 'Something that the run refers to is there, but not ready.',
        VcsAuthUnavailable: 'Signing in to version control does not work at the moment.',
        ...refusals,
      },
    },
    {
      type: 'Admitted',
      doc: {
        True: 'The run may start: it is approved, within its budget, and has a place.',
        False: 'The run waits for its turn; message and status.queue say how long.',
      },
      reasons: {
        Admitted: 'It has been given a place.',
        Queued: 'Others go first; status.queue says how many.',
        ConcurrencyLimit: 'As many runs as allowed are running already.',
        QueueLimit: 'As many runs as allowed are waiting already.',
        RateLimited: 'As many runs as allowed have started in this window of time.',
        WaitingForApproval: 'Nobody has decided about it yet.',
        ApprovalDenied: 'An approver decided against it.',
        ApprovalExpired: 'Nobody decided about it in time.',
        BudgetExhausted: 'Its budget is used up.',
        Paused: 'The platform starts no runs at the moment.',
      },
    },
    {
      type: 'Started',
      doc: {
        True: 'Its work has begun.',
        False: 'Its work was handed over, and has not begun.',
      },
      reasons: {
        Started: 'Its work has begun.',
        Submitting: 'Its work is being handed over.',
        Cancelling: 'It is being stopped before it began.',
        Scheduling: 'No node has taken it yet.',
        ImageUnavailable: 'Its image cannot be pulled.',
        PodNotReady: 'Its container cannot be started yet.',
        SubmitFailed: 'Its work could not be handed over.',
      },
    },
  ],
  progress: {
    Retrying: 'An attempt has failed; the next one is on its way.',
    Cancelling: 'It is being stopped on request.',
  },
  failures: {
    JobFailed: 'Its program ended with an error.',
    JobMissing: 'Its Job vanished before the outcome was known.',
    TimedOut: 'It took longer than allowed.',
    RetriesExhausted: 'Its last attempt has failed too.',
    BudgetExceeded: 'It was stopped because its budget is used up.',
    WorkflowStepFailed: 'One of its steps has failed.',
    WorkflowStepTimedOut: 'One of its steps took longer than allowed.',
    WorkflowStepRetriesExhausted: 'The last attempt of one of its steps has failed too.',
    Terminated: 'The system that carried the work ended it.',
    RuntimeFailed: 'The system that carried the work reported a failure.',
  },
})
