import { runConditions } from '@agents/status'
import { approvalReasons, budgetReasons } from '../../policy-reasons.ts'

/** Reasons of Accepted for runs that can never run as specified. */
const refusals = {
  MissingToolRef: 'The run names no Tool.',
  InvalidParameters:
    'A parameter is missing, unknown, too large or not allowed, or two have the same environment variable.',
  InvalidTemplate: 'A template is invalid or refers to an unknown value.',
  WorkTooLarge: 'An argument or a variable is too large for a process.',
  MissingRequiredLabels: 'The run lacks labels that the platform requires.',
  LabelBlocked: 'The run has a label that the platform blocks.',
  LabelNotAllowed: 'The run has a label that the platform does not allow.',
  ImageBlocked: 'The platform blocks the image.',
  ImageNotAllowed: 'The platform does not allow the image.',
  ServiceAccountNotAllowed: 'The platform does not allow this service account.',
  SecretBlocked: 'The platform blocks a Secret.',
  SecretNotAllowed: 'No SecretBinding allows a Secret of the Tool.',
  MemoryRefused:
    'The operation on a Memory is not one of a step, or the Memory has none: only postgres stores have.',
  DuplicateDelivery: 'Another run of the Tool has the same deliveryId.',
} as const

export const toolRunConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The Tool exists and can be run with these parameters.',
        False:
          'The Tool or a Secret does not exist or is not ready, and the run waits for it; or the run is not permitted, and fails.',
      },
      reasons: {
        Accepted: 'The Tool exists and can be run.',
        DependencyMissing:
          'The Tool or Memory, or a Secret or key that it refers to, does not exist yet.',
        DependencyNotReady: 'The Tool or Memory is not ready.',
        ...refusals,
      },
    },
    {
      type: 'Admitted',
      doc: {
        True: 'The run may start: a slot is assigned to it.',
        False: 'The run waits for a slot or an approval; see the message and status.queue.',
      },
      reasons: {
        Admitted: 'The run has a slot.',
        Queued: 'Other runs are ahead in the queue; status.queue shows the position.',
        ConcurrencyLimit: 'The limit of concurrent runs is reached.',
        QueueLimit: 'The queue is full; the run enters it when another one leaves.',
        RateLimited: 'The limit of starts in the current time window is reached.',
        ...approvalReasons,
        ...budgetReasons,
      },
    },
    {
      type: 'Started',
      doc: {
        True: 'The container of the run started.',
        False: 'The Job was created or is being created, and its container has not started.',
      },
      reasons: {
        Started: 'The container of the run started.',
        Submitting: 'The Job is being created, or its pod is starting.',
        Cancelling: 'The run is being cancelled before it started.',
        Scheduling: 'The pod is waiting for a node.',
        ImageUnavailable: 'The image cannot be pulled.',
        PodNotReady: 'The container cannot start yet.',
        SubmitFailed: 'The Job could not be created.',
      },
    },
  ],
  progress: {
    Retrying: 'An attempt failed, and another one follows.',
    Cancelling: 'The run is being cancelled.',
  },
  failures: {
    JobFailed: 'The program exited with an error.',
    JobMissing: 'The Job was deleted before its outcome was recorded.',
    TimedOut: 'The run exceeded its timeout, or its container did not start in time.',
    RetriesExhausted: 'All attempts failed.',
    SecretNotAllowed:
      'No SecretBinding allows a Secret any more, so that no further attempt is made.',
    BudgetExceeded: 'The run was stopped because a Budget is exhausted.',
    InvalidOutputs: 'The program succeeded, but its outputs are too large or not a JSON object.',
  },
})
