import { livingConditions } from '@agents/status'
import { credentialsResolved, validated } from '../../gate.ts'

export const versionControlProviderConditions = livingConditions({
  gates: [
    validated({
      DeprecatedAuth: 'The token type is deprecated.',
      UnsupportedAuth: 'The service does not support this authentication method.',
      MissingKnownHosts: 'SSH needs trusted host keys, or hostKeyPolicy AcceptNew.',
      MissingSecretRef: 'The authentication method needs a Secret, and none is specified.',
      InvalidAddress:
        'A URL is invalid, cannot be cloned from, contains a credential, or would send one unencrypted.',
      InvalidTemplate: 'A template is invalid or refers to an unknown value.',
      UnsafeAutoMerge:
        'Runs may change definitions of CI, and so the checks that decide about merging their own work.',
      MissingAppAuth: 'App authentication needs appId, installationId and a private key.',
    }),
    credentialsResolved,
    {
      type: 'TokenIssued',
      doc: {
        True: 'A valid token was issued, or none is required.',
        False: 'The service has not issued a token.',
      },
      reasons: {
        Issued: 'A valid token was issued.',
        NotRequired: 'No token is required.',
        InvalidPrivateKey: 'The Secret does not contain a valid private key.',
        TokenRefused: 'The service refused to issue a token.',
        ServiceUnreachable: 'The service is not reachable.',
      },
    },
  ],
})
