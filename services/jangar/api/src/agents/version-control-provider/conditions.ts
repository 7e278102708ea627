import { livingConditions } from '@agents/status'
import { credentialsResolved, validated } from '../../gate.ts'

export const versionControlProviderConditions = livingConditions({
  gates: [
    validated({
      DeprecatedAuth: 'It works, but this sort of token is on its way out.',
      UnsupportedAuth: 'The service does not support this way of signing in.',
      MissingSecretRef: 'The way of signing in needs a Secret, and none is named.',
      MissingAppAuth: 'Signing in as an app needs appId, installationId and a private key.',
    }),
    credentialsResolved,
  ],
})
