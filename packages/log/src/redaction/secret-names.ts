// Compared with the name in lower case, without separators: DB_PASSWORD, db-password and dbPassword are one name.
const SECRET_ENDINGS = [
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

const SECRET_NAMES = new Set(['auth', 'pass', 'bearer', 'identitytoken'])

// passwordHash, tokenBase64 and secretValue hold what password, token and secret hold.
const CARRIER = /(?:value|data|base64|b64|encoded|plaintext|plain|text|string|raw|hash|bytes)$/

/**
 * Does a field of this name hold a secret? What points at a secret does not: `secretRef`, `secretName`,
 * `tokenType`, and the plural `secrets`, which in Kubernetes lists names.
 */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false
  const plain = name.toLowerCase().replaceAll(SEPARATORS, '')
  return holdsSecret(plain) || holdsSecret(plain.replace(CARRIER, ''))
}

const MAX_NAME_LENGTH = 200
const SEPARATORS = /[^a-z0-9]/g

function holdsSecret(plain: string): boolean {
  return SECRET_NAMES.has(plain) || SECRET_ENDINGS.some((ending) => plain.endsWith(ending))
}

/** `inputTokens: 1234` is what a model used, not something to hide. */
export function isTokenCount(name: string, value: unknown): boolean {
  if (!/tokens$/i.test(name.slice(-6))) return false
  return typeof value === 'string' ? /^\d{1,15}$/.test(value) : typeof value === 'number'
}

/** Headers whose whole line is the secret: `Authorization: Digest username="…", response="…"`. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.has(name.toLowerCase())
}

const SECRET_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'private-token',
  'x-vault-token',
])
