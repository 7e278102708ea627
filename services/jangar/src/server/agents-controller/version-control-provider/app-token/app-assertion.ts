import { createPrivateKey, type KeyObject, sign } from 'node:crypto'

/** Parses a private key in PEM format. Undefined if it is not an RSA key, which apps require. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === 'rsa' ? key : undefined
  } catch {
    return undefined
  }
}

/** A short-lived JWT that authenticates the app. GitHub accepts a lifetime of at most ten minutes. */
export function appAssertion(appId: string, key: KeyObject, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000)
  const header = encode({ alg: 'RS256', typ: 'JWT' })
  // Starts a minute ago to tolerate clock skew.
  const claims = encode({ iat: seconds - 60, exp: seconds + 540, iss: appId })
  const signed = `${header}.${claims}`
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
