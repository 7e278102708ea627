import { generateKeyPairSync } from 'node:crypto'
import { createCertificate } from '../../../packages/apiserver/src/auth/pki/certificate.ts'

interface Authority {
  /** In PEM format. */
  readonly certificate: string
  issue(names: Names): { readonly certificate: string; readonly key: string }
}

interface Names {
  readonly dnsNames?: readonly string[]
  readonly ipAddresses?: readonly string[]
}

const hour = 3_600_000

/** A certificate authority that no system trusts by default. */
export function createAuthority(commonName: string): Authority {
  const ca = newKey()
  const issuer = { commonName }
  const validity = {
    notBefore: new Date(Date.now() - hour),
    notAfter: new Date(Date.now() + 24 * hour),
  }
  const signed = { issuer, issuerKey: ca.privateKey, ...validity }
  return {
    certificate: createCertificate({
      ...signed,
      subject: issuer,
      publicKey: ca.publicKey,
      usage: 'ca',
    }),
    issue: (names) => {
      const own = newKey()
      const certificate = createCertificate({
        ...signed,
        ...names,
        subject: { commonName: 'postgres' },
        publicKey: own.publicKey,
        usage: 'server',
      })
      return {
        certificate,
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}

function newKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}
