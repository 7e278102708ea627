import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createCertificate } from '../../../packages/apiserver/src/auth/pki/certificate.ts'

/** A private key and its certificate, in PEM format. */
interface Pair {
  readonly key: string
  readonly certificate: string
}

/** Certificates with which an API server and a kubelet know each other. */
export interface KubeletCertificates {
  readonly authority: string
  /** The common name in the certificate of the API server. */
  readonly clientName: string
  readonly client: Pair
  readonly server: Pair
  /** A client that the same authority knows under another name. */
  readonly stranger: Pair
}

const day = 86_400_000

export function kubeletCertificates(): KubeletCertificates {
  const issuer = { commonName: 'kubelet-authority' }
  const authorityKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const sign = (commonName: string, usage: 'ca' | 'server' | 'client', publicKey: KeyObject) =>
    createCertificate({
      ...{ subject: { commonName }, issuer, publicKey, usage },
      issuerKey: authorityKey.privateKey,
      notBefore: new Date(Date.now() - day),
      notAfter: new Date(Date.now() + day),
      ...(usage === 'server' ? { ipAddresses: ['127.0.0.1'] } : {}),
    })
  const pair = (commonName: string, usage: 'server' | 'client'): Pair => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return {
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      certificate: sign(commonName, usage, publicKey),
    }
  }
  const clientName = 'kube-apiserver-kubelet-client'
  return {
    authority: sign(issuer.commonName, 'ca', authorityKey.publicKey),
    clientName,
    client: pair(clientName, 'client'),
    server: pair('local-node', 'server'),
    stranger: pair('somebody', 'client'),
  }
}
