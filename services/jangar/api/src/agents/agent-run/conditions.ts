import { runConditions } from '@agents/status'
import { approvalReasons, budgetReasons } from '../../policy-reasons.ts'

/** Reasons of Accepted for runs that can never run as specified. */
const refusals = {
  UnsupportedRuntime: 'The runtime type is not supported.',
  InvalidRuntimeConfig: 'The runtime configuration is incomplete or invalid.',
  InvalidWorkflow: 'The workflow has no steps, or two steps with the same name.',
  MissingImplementation: 'Neither the run nor the step specifies an implementation.',
  InvalidParameters: 'There are too many parameters, or one of them is too large.',
  InvalidContract: 'The contract of the implementation is invalid.',
  MissingRequiredMetadata:
    'The contract of the implementation requires metadata that the run does not provide.',
  InvalidTemplate: 'A template is invalid or refers to an unknown value.',
  WorkTooLarge: 'The input of the run is too large for a ConfigMap or a pod.',
  InvalidSystemPrompt: 'The system prompt is empty or too long.',
  MissingRequiredLabels: 'The run lacks labels that the platform requires.',
  LabelBlocked: 'The run has a label that the platform blocks.',
  LabelNotAllowed: 'The run has a label that the platform does not allow.',
  MissingWorkloadImage: 'The run specifies no image, and the platform has no default image.',
  ImageBlocked: 'The platform blocks the image.',
  ImageNotAllowed: 'The platform does not allow the image.',
  ServiceAccountNotAllowed: 'The platform or the agent does not allow this service account.',
  PriorityClassNotAllowed: 'The platform does not allow this priority class.',
  ClaimNotAllowed: 'The platform does not allow this PersistentVolumeClaim.',
  WorkspaceExpired: 'A workspace of the run has expired.',
  SecretBlocked: 'The platform blocks a Secret.',
  SecretNotAllowed: 'The agent or a SecretBinding does not allow a Secret.',
  InvalidPolicy: 'A field of spec.policy is invalid.',
  MissingRepository: 'Version control is required, but the run specifies no repository.',
  VcsPolicyDenied: 'The VersionControlProvider does not allow this repository or branch.',
  VcsCapabilityDenied: 'The VersionControlProvider does not allow what the run requires.',
  UnsupportedVcsAuth: 'The service does not support this authentication method.',
  MissingVcsAuth: 'Version control is required, but no credentials are configured.',
  InvalidSkill: 'The address of a skill of the agent is invalid or not permitted.',
  DuplicateIdempotencyKey: 'Another run of the agent has the same idempotency key.',
} as const

/** A success unless the run requires changes. */
const noChanges = {
  NoChanges:
    'The program changed nothing in the repository. A failure only if vcsPolicy.requireChanges is true.',
} as const

export const agentRunConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'Everything that the run refers to exists, and what it requests is permitted.',
        False:
          'A dependency is missing, and the run waits for it; or a request is not permitted, and the run fails.',
      },
      reasons: {
        Accepted: 'All references are resolved and permitted.',
        DependencyMissing: 'An object that the run refers to, or a key of it, does not exist yet.',
        DependencyNotReady: 'An object that the run refers to is not ready.',
        VcsAuthUnavailable: 'Credentials for version control are temporarily unavailable.',
        ...refusals,
      },
    },
    {
      type: 'Admitted',
      doc: {
        True: 'The run may start: a slot is assigned to it.',
        False: 'The run waits for a slot, approval or budget; see the message and status.queue.',
      },
      reasons: {
        Admitted: 'The run has a slot.',
        Queued: 'Other runs are ahead in the queue; status.queue shows the position.',
        ConcurrencyLimit: 'The limit of concurrent runs is reached.',
        QueueLimit: 'The queue is full; the run enters it when another one leaves.',
        RateLimited: 'The limit of starts in the current time window is reached.',
        WorkspaceInUse: 'Another run uses a workspace of the run.',
        ...approvalReasons,
        ...budgetReasons,
        Paused: 'The platform is paused and starts no runs.',
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
  successes: noChanges,
  failures: {
    ...noChanges,
    JobFailed: 'The program exited with an error.',
    JobMissing: 'The Job was deleted before its outcome was recorded.',
    TimedOut: 'The run exceeded its timeout, or its container did not start in time.',
    PushPolicyViolated:
      'The work breaks the push policy of the VersionControlProvider; the message names the file.',
    DocumentsChanged:
      'Somebody replaced the ConfigMap with the input of the run after its Job was created, or changed one that its approval covers; nothing of it was used.',
    SkillUnavailable: 'A skill of the agent cannot be fetched; the message says which and why.',
    RetriesExhausted: 'All attempts failed.',
    SecretNotAllowed:
      'No SecretBinding allows a Secret any more, so that no further attempt is made.',
    BudgetExceeded: 'The run was stopped because its budget is exhausted.',
    WorkflowStepFailed: 'A step failed.',
    WorkflowStepTimedOut: 'A step exceeded its timeout, or its container did not start in time.',
    WorkflowStepRetriesExhausted: 'All attempts of a step failed.',
    Terminated: 'The external runtime terminated the run.',
    RuntimeFailed: 'The external runtime reported a failure.',
  },
})
