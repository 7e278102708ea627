import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createKeyMaterial } from '../../auth/pki/key-material.ts'
import { keyPairError } from './key-pair.ts'

const { servingCertificate, servingKey } = createKeyMaterial(new Date('2030-01-01T00:00:00Z'))
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})

describe('keyPairError', () => {
  test.each([
    { because: 'a matching pair is valid', certificate: servingCertificate, key: servingKey },
    {
      because: 'the certificate is checked first',
      certificate: '',
      key: '',
      fault: 'tls: failed to find any PEM data in certificate input',
    },
    {
      because: 'the key is missing',
      certificate: servingCertificate,
      key: 'k',
      fault: 'tls: failed to find any PEM data in key input',
    },
    {
      because: 'a certificate is not a key',
      certificate: servingCertificate,
      key: servingCertificate,
      fault: expect.stringContaining(
        'after skipping PEM blocks of the following types: [CERTIFICATE',
      ),
    },
    {
      because: 'the key belongs to another certificate',
      certificate: servingCertificate,
      key: String(otherKey),
      fault: 'tls: private key does not match public key',
    },
  ])('$because', ({ certificate, key, fault }) => {
    expect(keyPairError(certificate, key)).toEqual(fault)
  })
})
