import { createKeyMaterial } from '../../../packages/apiserver/src/auth/pki/key-material.ts'

/** What the Secrets of an audit webhook contain, by key. */
export function auditSecrets(): Readonly<Record<string, string>> {
  const { caCertificate, servingCertificate, servingKey, adminToken } = createKeyMaterial(
    new Date(),
  )
  return {
    'tls.crt': servingCertificate,
    'tls.key': servingKey,
    token: adminToken,
    'ca.crt': caCertificate,
  }
}
