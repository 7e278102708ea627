import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import * as der from '../der.ts'

const ids = { CN: '2.5.4.3', O: '2.5.4.10' } as const

interface NewRequest {
  readonly subject: readonly (readonly [keyof typeof ids, string | Buffer])[]
  readonly dnsNames?: readonly string[]
  /** Signs the request instead of its own key. */
  readonly signer?: KeyObject
}

/** Creates a key and a PKCS#10 request for it. A subject's value as bytes is DER of any string type. */
export function newRequest({ subject, dnsNames = [], signer }: NewRequest): {
  readonly key: string
  /** In PEM. */
  readonly request: string
} {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = der.sequence(
    der.integer(Buffer.of(0)),
    der.sequence(
      ...subject.map(([type, value]) =>
        der.set(
          der.sequence(
            der.objectIdentifier(ids[type]),
            typeof value === 'string' ? der.utf8String(value) : value,
          ),
        ),
      ),
    ),
    publicKey.export({ type: 'spki', format: 'der' }),
    der.contextTag(0, dnsNames.length === 0 ? Buffer.alloc(0) : namesAttribute(dnsNames), true),
  )
  const bytes = der.sequence(
    body,
    der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2')),
    der.bitString(sign('sha256', body, signer ?? privateKey)),
  )
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    request: `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`,
  }
}

function namesAttribute(dnsNames: readonly string[]): Buffer {
  const names = dnsNames.map((name) => der.contextTag(2, Buffer.from(name, 'latin1'), false))
  const extension = der.sequence(
    der.objectIdentifier('2.5.29.17'),
    der.octetString(der.sequence(...names)),
  )
  return der.sequence(
    der.objectIdentifier('1.2.840.113549.1.9.14'),
    der.set(der.sequence(extension)),
  )
}
