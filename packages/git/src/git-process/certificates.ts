import { X509Certificate } from 'node:crypto'
import { GitError } from '../git-error.ts'

/** The certificates of a PEM text without the rest of it: a private key in the text must not be written to disk. */
export function certificatesIn(text: string): string[] {
  const blocks = text.match(certificateBlock) ?? []
  if (blocks.length === 0) throw new GitError('refused', 'ca.crt contains no certificate')
  const certificates = blocks.map(certificateIn)
  const broken = certificates.indexOf(undefined) + 1
  if (broken > 0) throw new GitError('refused', `certificate ${broken} in ca.crt is not valid`)
  return certificates.filter((certificate) => certificate !== undefined)
}

function certificateIn(block: string): string | undefined {
  try {
    return new X509Certificate(block).toString()
  } catch {
    return undefined
  }
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g
