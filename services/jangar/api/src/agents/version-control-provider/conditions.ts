import { livingConditions } from '@agents/status'
import { credentialsResolved, validated } from '../../gate.ts'

export const versionControlProviderConditions = livingConditions({
  gates: [
    validated({
      DeprecatedAuth: 'It works, but this sort of token is on its way out.',
      UnsupportedAuth: 'The service does not support this way of signing in.',
      MissingSecretRef: 'The way of signing in needs a Secret, and none is named.',
      InvalidTemplate: 'A template cannot be read, or refers to something that there never is.',
      MissingAppAuth: 'Signing in as an app needs appId, installationId and a private key.',
    }),
    credentialsResolved,
    {
      type: 'TokenIssued',
      doc: {
        True: 'The Secret for minted tokens holds one that is good, or none has to be minted.',
        False: 'The service has issued no token for the app yet.',
      },
      reasons: {
        Issued: 'A good token is there.',
        NotRequired: 'No token has to be minted.',
        InvalidPrivateKey: 'The Secret holds no private key of an app.',
        TokenRefused: 'The service refused to issue a token.',
        ServiceUnreachable: 'The service does not answer.',
      },
    },
  ],
})
