import { livingConditions } from '@agents/status'

/** What is asked about a GitTarget, in order, and what the answers can be. */
export const gitTargetConditions = livingConditions({
  gates: [
    {
      type: 'Validated',
      notReady: 'ValidationFailed',
      doc: {
        True: 'The provider exists, it allows the branch, and no other target owns the path.',
        False: 'The target may not write there; the message says what is in the way.',
      },
      reasons: {
        OK: 'Provider, branch and path can be used.',
        ProviderNotFound: 'The GitProvider does not exist, or cannot be used yet.',
        BranchNotAllowed: 'The GitProvider does not allow the branch.',
        TargetConflict:
          'An older target owns the same or an overlapping path of the same repository and branch.',
      },
    },
    {
      type: 'EncryptionConfigured',
      notReady: 'EncryptionNotConfigured',
      doc: {
        True: 'Secrets can be encrypted; or, with reason NotRequired, they are not mirrored at all.',
        False: 'Encryption is asked for but cannot be done, so nothing is written.',
      },
      reasons: {
        OK: 'Secrets are encrypted for the recipients.',
        NotRequired: 'Encryption is off: Secrets are not mirrored.',
        MissingSecret:
          'The Secret with the age key or the fingerprint key does not exist, or holds no such key.',
        InvalidRecipients: 'There is no recipient, or one that is not an age public key.',
        SecretCreateDisabled:
          'The Secret with the age key or the fingerprint key does not exist, and autoCreate does not allow making it.',
      },
    },
    {
      type: 'Bootstrapped',
      notReady: 'BootstrapNotComplete',
      doc: {
        True: 'A worker serves the branch, and the path holds the files that the mirror needs.',
        False: 'The worker or the files are missing.',
      },
      reasons: {
        BootstrapApplied: 'The files were written, or are part of the first commit.',
        BootstrapNotNeeded: 'The files were there already.',
        WorkerNotFound: 'No worker for the repository and branch could be started.',
        BootstrapFailed: 'The branch could not be read, or the files could not be written.',
      },
    },
    {
      type: 'SnapshotSynced',
      notReady: 'InitialSyncInProgress',
      doc: {
        True: 'Cluster and path agreed, and the commit that says so was pushed.',
        False: 'Cluster and path are being compared, or comparing or pushing failed.',
      },
      reasons: {
        Completed: 'The snapshot was pushed, or there was nothing to change.',
        Running: 'The snapshot is being taken or pushed.',
        SnapshotFailed:
          'The snapshot could not be taken or pushed, or would delete more than prune allows.',
      },
    },
    {
      type: 'EventStreamLive',
      notReady: 'StreamNotLive',
      doc: {
        True: 'Every stream that the rules ask for is live: changes are mirrored as they happen.',
        False: 'A stream is not live; what it would bring is caught up when it is.',
      },
      reasons: {
        Registered: 'All streams are live.',
        RegistrationFailed: 'A stream could not be opened: the type is not served, or forbidden.',
        Disconnected: 'A stream that was live has broken off; it is opened again by itself.',
      },
    },
  ],
})
