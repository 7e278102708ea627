import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import {
  type DerElement,
  expected,
  objectIdentifier,
  only,
  readElements,
  tags,
} from './read-der.ts'

/** A PKCS#10 certificate signing request. */
export interface ParsedCertificateRequest {
  /** Attributes of the subject by object identifier. Other attributes are not signed. */
  readonly subject: readonly SubjectAttribute[]
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly publicKey: KeyObject
  /** The requested alternative names, as general names in DER. */
  readonly alternativeNames: readonly AlternativeName[]
  hasValidSignature(): boolean
}

interface SubjectAttribute {
  readonly type: string
  readonly value: string
}

interface AlternativeName {
  readonly type: 'email' | 'dns' | 'uri' | 'ip'
  readonly der: Buffer
}

const commonNameType = '2.5.4.3'
const organizationType = '2.5.4.10'

/** The attributes that Go knows: common name, serial number, country, locality, province, street, organization, … */
const signedAttributes = new Set([3, 5, 6, 7, 8, 9, 10, 11, 17].map((each) => `2.5.4.${each}`))

/** Parses the first PEM block. Throws an error with upstream's message if it is not a request. */
export function parseCertificateRequest(pem: string): ParsedCertificateRequest {
  const block = /-----BEGIN ([^-\n]+)-----\r?\n([A-Za-z0-9+/=\s]*?)-----END \1-----/.exec(pem)
  if (block?.[1] !== 'CERTIFICATE REQUEST') {
    throw new Error('PEM block type must be CERTIFICATE REQUEST')
  }
  try {
    return parseDer(Buffer.from(block[2] ?? '', 'base64'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`asn1: structure error: ${why}`, { cause: error })
  }
}

function parseDer(bytes: Buffer): ParsedCertificateRequest {
  const [info, algorithm, signature] = readElements(only(bytes, tags.sequence))
  const signed = expected(info, tags.sequence)
  const [version, name, key, attributes] = readElements(signed.content)
  expected(version, tags.integer)
  const spki = expected(key, tags.sequence).whole
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const [identifier] = readElements(expected(algorithm, tags.sequence).content)
  const signatureType = objectIdentifier(expected(identifier, tags.objectIdentifier).content)
  const [unusedBits, ...signatureBytes] = expected(signature, tags.bitString).content
  if (unusedBits !== 0) throw new Error('malformed signature')
  const subject = readName(expected(name, tags.sequence).content)
  return {
    subject,
    commonName: subject.findLast(({ type }) => type === commonNameType)?.value ?? '',
    organizations: subject.filter(({ type }) => type === organizationType).map((one) => one.value),
    publicKey,
    alternativeNames: attributes?.tag === 0xa0 ? readAlternativeNames(attributes.content) : [],
    hasValidSignature: () =>
      isSigned(signed.whole, publicKey, signatureType, Buffer.from(signatureBytes)),
  }
}

function readName(content: Buffer): SubjectAttribute[] {
  return readElements(content).flatMap((relative) =>
    readElements(expected(relative, tags.set).content).flatMap((attribute) => {
      const [type, value] = readElements(expected(attribute, tags.sequence).content)
      const id = objectIdentifier(expected(type, tags.objectIdentifier).content)
      return signedAttributes.has(id) ? [{ type: id, value: readText(value) }] : []
    }),
  )
}

/**
 * Decodes every string type to the text that is signed, so that no encoding of a name can differ from the checked one.
 */
function readText(element: DerElement | undefined): string {
  const content = element?.content ?? Buffer.alloc(0)
  switch (element?.tag) {
    case 0x0c:
      return new TextDecoder('utf-8', { fatal: true }).decode(content)
    // NumericString, PrintableString, T61String and IA5String.
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x16:
      return content.toString('latin1')
    case 0x1e:
      if (content.length % 2 !== 0) throw new Error('malformed text')
      return Buffer.from(content).swap16().toString('utf16le')
    default:
      throw new Error('unsupported text in the subject')
  }
}

const extensionRequest = '1.2.840.113549.1.9.14'
const subjectAltName = '2.5.29.17'
const nameTypes: Readonly<Record<number, AlternativeName['type']>> = {
  129: 'email',
  130: 'dns',
  134: 'uri',
  135: 'ip',
}

function readAlternativeNames(content: Buffer): AlternativeName[] {
  return readElements(content).flatMap((attribute) => {
    const [type, values] = readElements(expected(attribute, tags.sequence).content)
    const id = objectIdentifier(expected(type, tags.objectIdentifier).content)
    if (id !== extensionRequest) return []
    const list = only(expected(values, tags.set).content, tags.sequence)
    return readElements(list).flatMap(namesOfExtension)
  })
}

function namesOfExtension(extension: DerElement): AlternativeName[] {
  const [type, ...rest] = readElements(expected(extension, tags.sequence).content)
  const id = objectIdentifier(expected(type, tags.objectIdentifier).content)
  if (id !== subjectAltName) return []
  const value = expected(rest.at(-1), tags.octetString).content
  return readElements(only(value, tags.sequence)).flatMap(({ tag, content, whole }) => {
    const kind = nameTypes[tag]
    if (kind === undefined) return []
    if (kind === 'ip' && content.length !== 4 && content.length !== 16) {
      throw new Error(`cannot parse IP address of length ${content.length}`)
    }
    return [{ type: kind, der: whole }]
  })
}

/** Digests of the signature algorithms that are accepted. */
const digests: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
}

function isSigned(signed: Buffer, key: KeyObject, algorithm: string, signature: Buffer): boolean {
  const digest = digests[algorithm]
  if (digest === undefined) return false
  try {
    return verify(digest, signed, key, signature)
  } catch {
    // The algorithm does not fit the type of the key.
    return false
  }
}
