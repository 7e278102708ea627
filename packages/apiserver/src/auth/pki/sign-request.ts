import { createPrivateKey, X509Certificate } from 'node:crypto'
import { extension, oid, signCertificate } from './certificate.ts'
import type { ParsedCertificateRequest } from './certificate-request.ts'
import * as der from './der.ts'
import { expected, readElements, tags } from './read-der.ts'

export interface SigningAuthority {
  /** In PEM. */
  readonly certificate: string
  readonly key: string
}

/** Usages of certificates that the built-in signers issue, as a CertificateSigningRequest names them. */
export const signedUsages = [
  'digital signature',
  'key encipherment',
  'client auth',
  'server auth',
] as const
type SignedUsage = (typeof signedUsages)[number]

const minute = 60_000
const backdateMs = 5 * minute
/** A certificate with a shorter lifetime is valid for all of it, in spite of being backdated. */
const shortMs = 8 * 60 * minute

/** Signs what was requested, except for extensions other than alternative names, and never as an authority. */
export function signRequest(
  request: ParsedCertificateRequest,
  authority: SigningAuthority,
  usages: ReadonlySet<SignedUsage>,
  lifetimeMs: number,
  now: Date,
): string {
  const issuer = new X509Certificate(authority.certificate)
  const wanted = now.getTime() + lifetimeMs - (lifetimeMs < shortMs ? 0 : backdateMs)
  if (now >= issuer.validToDate) throw new Error('the certificate of the signer has expired')
  const names = request.alternativeNames.map((one) => one.der)
  const isAnonymous = request.subject.length === 0
  return signCertificate({
    subject: der.sequence(
      ...request.subject.map(({ type, value }) =>
        der.set(der.sequence(der.objectIdentifier(type), der.utf8String(value))),
      ),
    ),
    issuer: subjectOf(issuer),
    publicKey: request.publicKey,
    issuerKey: createPrivateKey(authority.key),
    notBefore: new Date(now.getTime() - backdateMs),
    notAfter: new Date(Math.min(wanted, issuer.validToDate.getTime())),
    extensions: [
      extension(oid.basicConstraints, der.sequence(), true),
      ...keyUsage(usages),
      extension(oid.extendedKeyUsage, der.sequence(...extendedUsages(usages))),
      ...(names.length === 0
        ? []
        : [extension(oid.subjectAltName, der.sequence(...names), isAnonymous)]),
    ],
  })
}

/** Omitted if no usage is set, since an empty one forbids everything. Bits from the left: 0 signs, 2 enciphers keys. */
function keyUsage(usages: ReadonlySet<SignedUsage>): Buffer[] {
  const signs = usages.has('digital signature') ? 0b10000000 : 0
  const enciphers = usages.has('key encipherment') ? 0b00100000 : 0
  if (signs + enciphers === 0) return []
  const bits = der.bitString(Buffer.of(signs | enciphers), enciphers === 0 ? 7 : 5)
  return [extension(oid.keyUsage, bits, true)]
}

function extendedUsages(usages: ReadonlySet<SignedUsage>): Buffer[] {
  return [
    ...(usages.has('server auth') ? [der.objectIdentifier(oid.serverAuth)] : []),
    ...(usages.has('client auth') ? [der.objectIdentifier(oid.clientAuth)] : []),
  ]
}

/** The subject as it is encoded in the certificate, since verifiers compare the bytes. */
function subjectOf(certificate: X509Certificate): Buffer {
  const [whole] = readElements(certificate.raw)
  const [body] = readElements(expected(whole, tags.sequence).content)
  const parts = readElements(expected(body, tags.sequence).content)
  // The version comes first in every certificate of this server.
  return expected(parts[5], tags.sequence).whole
}
