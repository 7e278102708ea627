import { createPrivateKey, type KeyObject, sign } from 'node:crypto'

/** The private key in a PEM text; undefined when there is none that could sign for an app. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === 'rsa' ? key : undefined
  } catch {
    return undefined
  }
}

/** A short-lived JWT by which the app says who it is. The service takes none that is good for longer than ten minutes. */
export function appAssertion(appId: string, key: KeyObject, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000)
  const header = encode({ alg: 'RS256', typ: 'JWT' })
  // Begins a minute ago: clocks differ.
  const claims = encode({ iat: seconds - 60, exp: seconds + 540, iss: appId })
  const signed = `${header}.${claims}`
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
