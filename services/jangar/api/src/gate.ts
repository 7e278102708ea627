import type { GateInput } from '@agents/status'

/** The gate that asks whether a spec makes sense in itself, with what the kind can say about it. */
export function validated<const R extends Readonly<Record<string, string>>>(reasons: R) {
  return {
    type: 'Validated',
    doc: {
      True: 'The spec makes sense.',
      False: 'The spec has a mistake that only a person can correct.',
    },
    reasons: { Valid: 'The spec makes sense.', ...reasons },
  } as const satisfies GateInput
}

/** The gate that asks whether the Secrets and ConfigMaps that a spec names are there, with the keys that it names. */
export const credentialsResolved = {
  type: 'CredentialsResolved',
  doc: {
    True: 'All Secrets and ConfigMaps that the spec names are there, with their keys.',
    False: 'One of them, or one of their keys, is not there yet.',
  },
  reasons: {
    SecretResolved: 'The Secret is there and has the key.',
    NotRequired: 'Nothing is to be signed in to.',
    SecretNotFound: 'There is no Secret of this name.',
    SecretKeyMissing: 'The Secret lacks the key.',
    ConfigMapNotFound: 'There is no ConfigMap of this name.',
    ConfigMapKeyMissing: 'The ConfigMap lacks the key.',
  },
} as const satisfies GateInput

export const versionControlResolved = {
  type: 'VersionControlResolved',
  doc: {
    True: 'The VersionControlProvider is there, or none is named.',
    False: 'The VersionControlProvider is not there yet.',
  },
  reasons: {
    Resolved: 'It is there.',
    NotRequired: 'None is named.',
    MissingVcsProvider: 'There is no VersionControlProvider of this name.',
  },
} as const satisfies GateInput
