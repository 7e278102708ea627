import { intOrString, object, oneOfStrings, optional, string } from '@agents/crd'
import { nonNegativeInt32 } from '../../integer.ts'
import { configMapRef, secretRef } from '../../reference.ts'

const token = object('Signing in with a token.', {
  secretRef: optional(
    secretRef('The Secret that holds the token.', 'Key in the Secret; left out, token.'),
  ),
  type: optional(
    oneOfStrings('What sort of token it is.', ['pat', 'fine_grained', 'api_token', 'access_token']),
  ),
})

const app = object('Signing in as an installed app, which mints short-lived tokens.', {
  appId: optional(intOrString('The number of the app.')),
  installationId: optional(intOrString('The number of the installation.')),
  privateKeySecretRef: optional(
    secretRef(
      'The Secret that holds the app’s private key.',
      'Key in the Secret; left out, privateKey.',
    ),
  ),
  tokenTtlSeconds: optional(
    nonNegativeInt32('How long a minted token is taken to be good when the answer does not say.'),
  ),
})

const ssh = object('Signing in with an SSH key.', {
  privateKeySecretRef: optional(
    secretRef('The Secret that holds the private key.', 'Key in the Secret; left out, privateKey.'),
  ),
  knownHostsConfigMapRef: optional(
    configMapRef(
      'The ConfigMap that holds the host keys to trust.',
      'Key in the ConfigMap; left out, known_hosts.',
    ),
  ),
})

export const auth = object('How to sign in.', {
  method: optional(
    oneOfStrings('Which way to sign in; left out, the one whose Secret is given, or none.', [
      'token',
      'app',
      'ssh',
      'none',
    ]),
  ),
  username: optional(
    string('User name that goes with a token; left out, what the system expects.'),
  ),
  token: optional(token),
  app: optional(app),
  ssh: optional(ssh),
})
