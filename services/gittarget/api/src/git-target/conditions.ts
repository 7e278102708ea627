import { livingConditions } from '@agents/status'

/** The gates of a GitTarget in order, with their reasons. */
export const gitTargetConditions = livingConditions({
  gates: [
    {
      type: 'Validated',
      notReady: 'ValidationFailed',
      doc: {
        True: 'The provider exists, it allows the branch, and no other target owns the path.',
        False: 'The target may not write to the path; the message says why.',
      },
      reasons: {
        OK: 'Provider, branch and path can be used.',
        ProviderNotFound: 'The GitProvider does not exist, or cannot be used yet.',
        BranchNotAllowed: 'The GitProvider does not allow the branch.',
        PathTemplateInvalid:
          'Two objects could get the same path by pathTemplate; the message names the part or the resources.',
        TargetConflict:
          'An older target that can write to the repository owns the same or an overlapping path of the same branch.',
      },
    },
    {
      type: 'EncryptionConfigured',
      notReady: 'EncryptionNotConfigured',
      doc: {
        True: 'Secrets can be encrypted; or, with reason NotRequired, they are not mirrored at all.',
        False: 'Encryption is configured but does not work, so nothing is written.',
      },
      reasons: {
        OK: 'Secrets are encrypted for the recipients.',
        NotRequired: 'Encryption is off: Secrets are not mirrored.',
        MissingSecret:
          'The Secret with the age key or the fingerprint key does not exist, or does not contain the key.',
        InvalidRecipients:
          'The list of recipients is empty, or contains an invalid age public key.',
        SecretCreateDisabled:
          'The Secret with the age key or the fingerprint key does not exist, and encryption.autoCreate is false.',
      },
    },
    {
      type: 'Bootstrapped',
      notReady: 'BootstrapNotComplete',
      doc: {
        True: 'A worker for the branch is running, and the files of the mirror exist or are part of the first commit.',
        False: 'The worker could not be started, or the branch could not be read.',
      },
      reasons: {
        BootstrapApplied: 'The files were written, or are part of the first commit.',
        BootstrapNotNeeded: 'The files already existed.',
        WorkerNotFound: 'No worker for the repository and branch could be started.',
        BootstrapFailed: 'The branch could not be read, or the files could not be written.',
      },
    },
    {
      type: 'SnapshotSynced',
      notReady: 'InitialSyncInProgress',
      doc: {
        True: 'Cluster and path were in sync when last compared, and the result was pushed.',
        False: 'Cluster and path are being compared, or the comparison or the push failed.',
      },
      reasons: {
        Completed: 'The snapshot was pushed, or there was nothing to change.',
        Running: 'The snapshot is being taken or pushed, or changes in Git are being corrected.',
        SnapshotFailed:
          'The snapshot could not be taken or pushed, or would delete more than prune allows; the branch cannot be checked; or files were changed in Git and onDrift is Report.',
      },
    },
    {
      type: 'EventStreamLive',
      notReady: 'StreamNotLive',
      doc: {
        True: 'Every watch stream that the rules require is live: changes are mirrored as they happen.',
        False: 'A watch stream is not live. Missed changes are mirrored once it is.',
      },
      reasons: {
        Registered: 'All streams are live.',
        RegistrationFailed:
          'A stream could not be opened: the resource is not served, or access is forbidden.',
        Disconnected: 'A live stream was disconnected; the operator reconnects automatically.',
      },
    },
  ],
})
