import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createKeyMaterial } from '../../auth/pki/key-material.ts'
import { keyPairFault } from './key-pair.ts'

const { servingCertificate, servingKey } = createKeyMaterial(new Date('2030-01-01T00:00:00Z'))
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})

describe('keyPairFault', () => {
  test.each([
    { because: 'a pair has no fault', certificate: servingCertificate, key: servingKey },
    {
      because: 'the certificate is looked at first',
      certificate: '',
      key: '',
      fault: 'tls: failed to find any PEM data in certificate input',
    },
    {
      because: 'a key has to be there',
      certificate: servingCertificate,
      key: 'k',
      fault: 'tls: failed to find any PEM data in key input',
    },
    {
      because: 'a certificate is no key',
      certificate: servingCertificate,
      key: servingCertificate,
      fault: expect.stringContaining(
        'after skipping PEM blocks of the following types: [CERTIFICATE',
      ),
    },
    {
      because: "another's key does not fit",
      certificate: servingCertificate,
      key: String(otherKey),
      fault: 'tls: private key does not match public key',
    },
  ])('$because', ({ certificate, key, fault }) => {
    expect(keyPairFault(certificate, key)).toEqual(fault)
  })
})
