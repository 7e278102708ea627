import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import { createCertificate } from './certificate.ts'

/** The server's keys, certificates and admin token. All but `adminToken` are PEM. */
export interface KeyMaterial {
  readonly caCertificate: string
  readonly caKey: string
  readonly servingCertificate: string
  readonly servingKey: string
  /** Private key that signs service account tokens. */
  readonly serviceAccountKey: string
  /** Bearer token of the administrator, a member of `system:masters`. */
  readonly adminToken: string
}

const day = 86_400_000
const authority = { commonName: 'agents-local-ca' }

export function createKeyMaterial(now: Date): KeyMaterial {
  const ca = newKey()
  const caCertificate = createCertificate({
    subject: authority,
    issuer: authority,
    publicKey: ca.publicKey,
    issuerKey: ca.privateKey,
    notBefore: shifted(now, -1),
    notAfter: shifted(now, 3650),
    usage: 'ca',
  })
  const caKey = toPem(ca.privateKey)
  return {
    caCertificate,
    caKey,
    ...createServing(caKey, now),
    serviceAccountKey: toPem(newKey().privateKey),
    adminToken: randomBytes(32).toString('base64url'),
  }
}

/** Returns the material with a new serving certificate if the old one expires soon. */
export function renewServing(material: KeyMaterial, now: Date): KeyMaterial {
  const { validToDate } = new X509Certificate(material.servingCertificate)
  if (validToDate > shifted(now, 30)) return material
  return { ...material, ...createServing(material.caKey, now) }
}

function createServing(
  caKey: string,
  now: Date,
): Pick<KeyMaterial, 'servingCertificate' | 'servingKey'> {
  const key = newKey()
  return {
    servingCertificate: createCertificate({
      subject: { commonName: 'agents-local-apiserver' },
      issuer: authority,
      publicKey: key.publicKey,
      issuerKey: createPrivateKey(caKey),
      notBefore: shifted(now, -1),
      notAfter: shifted(now, 397),
      usage: 'server',
      dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
      ipAddresses: ['127.0.0.1', '10.96.0.1'],
    }),
    servingKey: toPem(key.privateKey),
  }
}

function newKey(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function shifted(date: Date, days: number): Date {
  return new Date(date.getTime() + days * day)
}
