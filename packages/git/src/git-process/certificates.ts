import { X509Certificate } from 'node:crypto'
import { GitError } from './git-error.ts'

/** The certificates of a PEM text, and nothing else of it: a private key among them must not come with them onto the disk. */
export const certificatesIn = (text: string): string[] => {
  const blocks = text.match(BLOCK) ?? []
  if (blocks.length === 0) throw new GitError('refused', 'there is no certificate in ca.crt')
  const certificates = blocks.map(certificateIn)
  const broken = certificates.indexOf(undefined) + 1
  if (broken > 0) throw new GitError('refused', `certificate ${broken} in ca.crt cannot be read`)
  return certificates.filter((certificate) => certificate !== undefined)
}

const certificateIn = (block: string): string | undefined => {
  try {
    return new X509Certificate(block).toString()
  } catch {
    return undefined
  }
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g
