// Compared with the name in lower case, without separators: DB_PASSWORD, db-password and dbPassword are one name.
const secretEndings = [
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'token',
  'tokens',
  'authorization',
  'apikey',
  'apikeys',
  'privatekey',
  'secretkey',
  'accesskey',
  'secretaccesskey',
  'signingkey',
  'encryptionkey',
  'sharedkey',
  'accountkey',
  'masterkey',
  'hmackey',
  'sshkey',
  'tlskey',
  'clientkey',
  'clientkeydata',
  'connectionstring',
  'databaseurl',
  'dsn',
  'credential',
  'credentials',
  'cookie',
  'jwt',
  'dockerconfigjson',
  'dockercfg',
]

const secretNames = new Set(['auth', 'pass', 'bearer', 'identitytoken'])

// Suffixes that do not make a name harmless: passwordHash, tokenBase64, secretValue.
const carrier = /(?:value|data|base64|b64|encoded|plaintext|plain|text|string|raw|hash|bytes)$/

/**
 * Whether a field of this name contains a secret. References to a secret do not: `secretRef`, `secretName`,
 * `tokenType`, and the plural `secrets`, which is a list of names in Kubernetes.
 */
export function isSecretName(name: string): boolean {
  if (name.length > maxNameLength) return false
  const plain = name.toLowerCase().replaceAll(separatorPattern, '')
  return holdsSecret(plain) || holdsSecret(plain.replace(carrier, ''))
}

const maxNameLength = 200
const separatorPattern = /[^a-z0-9]/g

function holdsSecret(plain: string): boolean {
  return secretNames.has(plain) || secretEndings.some((ending) => plain.endsWith(ending))
}

/** Whether the field is the token usage of a model, such as `inputTokens: 1234`, and not a secret. */
export function isTokenCount(name: string, value: unknown): boolean {
  if (!/tokens$/i.test(name.slice(-6))) return false
  return typeof value === 'string' ? /^\d{1,15}$/.test(value) : typeof value === 'number'
}

/** Whether the whole value of the header is secret: `Authorization: Digest username="…", response="…"`. */
export function isSecretHeader(name: string): boolean {
  return secretHeaders.has(name.toLowerCase())
}

const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'private-token',
  'x-vault-token',
])
