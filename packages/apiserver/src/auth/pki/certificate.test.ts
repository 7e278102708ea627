import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createCertificate } from './certificate.ts'

function pair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}
const ca = pair()
const leaf = pair()
const issuer = { commonName: 'test-ca' }
const validity = {
  notBefore: new Date('2026-01-02T03:04:05Z'),
  notAfter: new Date('2061-01-02T03:04:05Z'),
}

const caCertificate = new X509Certificate(
  createCertificate({
    subject: issuer,
    issuer,
    publicKey: ca.publicKey,
    issuerKey: ca.privateKey,
    usage: 'ca',
    ...validity,
  }),
)

function issue(
  usage: 'server' | 'client',
  more: { dnsNames?: string[]; ipAddresses?: string[] } = {},
) {
  return new X509Certificate(
    createCertificate({
      subject: { commonName: 'operator', organizations: ['platform', 'on-call'] },
      issuer,
      publicKey: leaf.publicKey,
      issuerKey: ca.privateKey,
      usage,
      ...validity,
      ...more,
    }),
  )
}

describe('a created certificate', () => {
  test('can be a certificate authority', () => {
    expect(caCertificate.ca).toBe(true)
    expect(caCertificate.verify(ca.publicKey)).toBe(true)
  })

  test('is signed by its issuer', () => {
    const certificate = issue('server')
    expect(certificate.checkIssued(caCertificate)).toBe(true)
    expect(certificate.verify(ca.publicKey)).toBe(true)
    expect(certificate.verify(leaf.publicKey)).toBe(false)
    expect(certificate.ca).toBe(false)
  })

  test('is valid for its names only', () => {
    const certificate = issue('server', { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] })
    expect(certificate.checkHost('localhost')).toBe('localhost')
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.checkHost('example.dev')).toBeUndefined()
    expect(certificate.checkIP('127.0.0.2')).toBeUndefined()
  })

  test('contains a client and its groups', () => {
    expect(issue('client').subject).toBe('O=platform\nO=on-call\nCN=operator')
    expect(issue('client').keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
  })

  test('encodes its validity before and after the change of formats in 2050', () => {
    const { validFromDate, validToDate } = issue('client')
    expect(validFromDate).toEqual(validity.notBefore)
    expect(validToDate).toEqual(validity.notAfter)
  })

  test('rejects an invalid address', () => {
    expect(() => issue('server', { ipAddresses: ['127.0.0.300'] })).toThrow('not an IPv4 address')
  })
})
