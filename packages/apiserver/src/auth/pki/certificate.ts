import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'
import * as der from './der.ts'

interface Subject {
  readonly commonName: string
  /** Kubernetes uses them as the groups of the client. */
  readonly organizations?: readonly string[]
}

interface CertificateRequest {
  readonly subject: Subject
  readonly issuer: Subject
  readonly publicKey: KeyObject
  /** The issuer's EC P-256 key. */
  readonly issuerKey: KeyObject
  readonly notBefore: Date
  readonly notAfter: Date
  readonly usage: 'ca' | 'server' | 'client'
  readonly dnsNames?: readonly string[]
  /** IPv4 only. */
  readonly ipAddresses?: readonly string[]
}

export const oid = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
}

/** Signs an X.509 v3 certificate and returns it as PEM. Node can read certificates but not create them. */
export function createCertificate(request: CertificateRequest): string {
  return signCertificate({
    ...request,
    subject: name(request.subject),
    issuer: name(request.issuer),
    extensions: extensions(request),
  })
}

/** The parts of a certificate. Names and extensions are DER. */
export interface CertificateParts
  extends Pick<CertificateRequest, 'publicKey' | 'issuerKey' | 'notBefore' | 'notAfter'> {
  readonly subject: Buffer
  readonly issuer: Buffer
  readonly extensions: readonly Buffer[]
}

export function signCertificate(request: CertificateParts): string {
  const algorithm = der.sequence(der.objectIdentifier(oid.ecdsaWithSha256))
  const body = der.sequence(
    der.contextTag(0, der.integer(Buffer.of(2)), true),
    // The top bit is cleared so that the serial number stays positive and within 20 bytes.
    der.integer(Buffer.concat([Buffer.of(randomBytes(1).readUInt8() & 0x7f), randomBytes(15)])),
    algorithm,
    request.issuer,
    der.sequence(der.time(request.notBefore), der.time(request.notAfter)),
    request.subject,
    request.publicKey.export({ type: 'spki', format: 'der' }),
    der.contextTag(3, der.sequence(...request.extensions), true),
  )
  const signature = sign('sha256', body, request.issuerKey)
  return toPem(der.sequence(body, algorithm, der.bitString(signature)))
}

function name({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (type: string, text: string) =>
    der.set(der.sequence(der.objectIdentifier(type), der.utf8String(text)))
  return der.sequence(
    ...organizations.map((organization) => attribute(oid.organization, organization)),
    attribute(oid.commonName, commonName),
  )
}

function extensions(request: CertificateRequest): Buffer[] {
  const isCa = request.usage === 'ca'
  const names = alternativeNames(request)
  return [
    extension(oid.basicConstraints, isCa ? der.sequence(der.boolean(true)) : der.sequence(), true),
    // Bits from the left: digitalSignature is 0, keyEncipherment 2, keyCertSign 5.
    extension(
      oid.keyUsage,
      isCa ? der.bitString(Buffer.of(0b10100100), 2) : der.bitString(Buffer.of(0b10100000), 5),
      true,
    ),
    ...(isCa
      ? []
      : [
          extension(
            oid.extendedKeyUsage,
            der.sequence(
              der.objectIdentifier(request.usage === 'server' ? oid.serverAuth : oid.clientAuth),
            ),
          ),
        ]),
    ...(names.length > 0 ? [extension(oid.subjectAltName, der.sequence(...names))] : []),
  ]
}

function alternativeNames({ dnsNames = [], ipAddresses = [] }: CertificateRequest): Buffer[] {
  const wrong = ipAddresses.find((address) => !isIPv4(address))
  if (wrong !== undefined) throw new Error(`not an IPv4 address: ${wrong}`)
  return [
    ...dnsNames.map((dnsName) => der.contextTag(2, Buffer.from(dnsName, 'latin1'), false)),
    ...ipAddresses.map((address) =>
      der.contextTag(7, Buffer.from(address.split('.').map(Number)), false),
    ),
  ]
}

export function extension(type: string, value: Buffer, critical = false): Buffer {
  return der.sequence(
    der.objectIdentifier(type),
    ...(critical ? [der.boolean(true)] : []),
    der.octetString(value),
  )
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/** A short, stable name for a public key: the `kid` of the tokens it verifies. */
export function keyId(publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(spki).digest('base64url')
}
