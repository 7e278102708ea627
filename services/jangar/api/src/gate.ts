import type { GateInput } from '@agents/status'

/** The gate that checks whether a spec is valid in itself, with the reasons of the kind. */
export function validated<const R extends Readonly<Record<string, string>>>(reasons: R) {
  return {
    type: 'Validated',
    doc: {
      True: 'The spec is valid.',
      False: 'The spec is invalid and has to be corrected.',
    },
    reasons: { Valid: 'The spec is valid.', ...reasons },
  } as const satisfies GateInput
}

/** The gate that checks whether the Secrets and ConfigMaps that a spec refers to exist, with their keys. */
export const credentialsResolved = {
  type: 'CredentialsResolved',
  doc: {
    True: 'All referenced Secrets, ConfigMaps and keys exist.',
    False: 'A referenced Secret, ConfigMap or key does not exist.',
  },
  reasons: {
    SecretResolved: 'The Secret and its key exist.',
    NotRequired: 'No credentials are required.',
    SecretNotFound: 'The Secret does not exist.',
    SecretKeyMissing: 'The Secret does not have the key.',
    ConfigMapNotFound: 'The ConfigMap does not exist.',
    ConfigMapKeyMissing: 'The ConfigMap does not have the key.',
  },
} as const satisfies GateInput

export const versionControlResolved = {
  type: 'VersionControlResolved',
  doc: {
    True: 'The VersionControlProvider exists, or none is specified.',
    False: 'The VersionControlProvider does not exist.',
  },
  reasons: {
    Resolved: 'The VersionControlProvider exists.',
    NotRequired: 'No VersionControlProvider is specified.',
    MissingVcsProvider: 'The VersionControlProvider does not exist.',
  },
} as const satisfies GateInput
