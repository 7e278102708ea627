import { intOrString, object, oneOfStrings, optional, string } from '@agents/crd'
import { nonNegativeInt32 } from '../../integer.ts'
import { configMapRef, secretRef } from '../../reference.ts'

const token = object('Authentication with a token.', {
  secretRef: optional(
    secretRef('The Secret with the token.', 'Key in the Secret. If omitted, defaults to token.'),
  ),
  type: optional(
    oneOfStrings('Type of the token.', ['pat', 'fine_grained', 'api_token', 'access_token']),
  ),
})

const app = object('Authentication as an installed app, with short-lived tokens.', {
  appId: optional(intOrString('ID of the app.')),
  installationId: optional(intOrString('ID of the installation.')),
  privateKeySecretRef: optional(
    secretRef(
      'The Secret with the private key of the app.',
      'Key in the Secret. If omitted, defaults to privateKey.',
    ),
  ),
  tokenTtlSeconds: optional(
    nonNegativeInt32('Validity of a token in seconds if the service does not report it.'),
  ),
})

const ssh = object('Authentication with an SSH key.', {
  privateKeySecretRef: optional(
    secretRef(
      'The Secret with the private key.',
      'Key in the Secret. If omitted, defaults to privateKey.',
    ),
  ),
  knownHostsConfigMapRef: optional(
    configMapRef(
      'The ConfigMap with the trusted host keys.',
      'Key in the ConfigMap. If omitted, defaults to known_hosts.',
    ),
  ),
  hostKeyPolicy: optional(
    oneOfStrings(
      'How to treat unknown host keys. Strict refuses them; AcceptNew trusts them, so that an attacker can impersonate the host at the first connection. If omitted, defaults to Strict.',
      ['Strict', 'AcceptNew'],
    ),
  ),
})

export const auth = object('Authentication.', {
  method: optional(
    oneOfStrings(
      'Authentication method. If omitted, defaults to the one whose Secret is specified, or none.',
      ['token', 'app', 'ssh', 'none'],
    ),
  ),
  username: optional(
    string('User name for the token. If omitted, defaults to that of the provider.'),
  ),
  token: optional(token),
  app: optional(app),
  ssh: optional(ssh),
})
