import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Clock, sleep } from '@agents/controller'
import type { Logger } from '@agents/log'

export interface CertificateFiles {
  /** The certificate and those of its issuers, in PEM. */
  readonly certificate: string
  readonly key: string
}

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** Of a server. */
export function tlsOptions(pair: KeyPair) {
  return { ...pair, minVersion: 'TLSv1.2' as const }
}

export async function readKeyPair({ certificate, key }: CertificateFiles): Promise<KeyPair> {
  const [cert, privateKey] = await Promise.all([
    readFile(certificate, 'utf8'),
    readFile(key, 'utf8'),
  ])
  return { cert, key: privateKey }
}

/**
 * Throws if the pair does not fit together, as while one file is new and the other old. TLS alone would accept an empty
 * file, as while one is written.
 */
function checkPair({ cert, key }: KeyPair): void {
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return
  throw new Error('the key does not belong to the certificate')
}

interface Renewal {
  readonly files: CertificateFiles
  /** Throws if the pair cannot be used. */
  readonly use: (pair: KeyPair) => void
  readonly clock: Clock
  readonly log: Logger
  readonly intervalMs?: number
}

/**
 * Uses a new certificate soon after its files change. The files are read again and again, since a Secret volume
 * replaces a folder behind a link, which no watch reports everywhere.
 */
export async function renewCertificate(
  { files, use, clock, log, intervalMs = 10_000 }: Renewal,
  current: KeyPair,
  signal: AbortSignal,
): Promise<void> {
  let known = current
  let hasFailed = false
  while (!signal.aborted) {
    await sleep(clock, intervalMs, signal)
    if (signal.aborted) return
    try {
      const pair = await readKeyPair(files)
      if (pair.cert === known.cert && pair.key === known.key) continue
      checkPair(pair)
      use(pair)
      known = pair
      hasFailed = false
      log.info('certificate renewed', { file: files.certificate })
    } catch (error) {
      // The old one stays in use; the next round may find both files.
      if (!hasFailed) log.warn('certificate not renewed', { file: files.certificate, error })
      hasFailed = true
    }
  }
}
