import { X509Certificate } from 'node:crypto'
import type { ConnectionOptions, PeerCertificate } from 'node:tls'

/** How a server is trusted. */
export type PinnedCertificate = Pick<
  ConnectionOptions,
  'ca' | 'allowPartialTrustChain' | 'checkServerIdentity'
>

/**
 * Trusts exactly the server with the first certificate of the file, while it is valid, by whichever name it is called:
 * inside the cluster a server has another name than the one its certificate is for.
 */
export function pinnedCertificate(pem: string): PinnedCertificate {
  const { raw } = new X509Certificate(pem)
  return {
    ca: pem,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host: string, served: PeerCertificate) =>
      served.raw.equals(raw) ? undefined : new Error('the server has another certificate'),
  }
}
