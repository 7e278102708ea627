import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@agents/apiserver'
import { silentLogger } from '@agents/log'
import { onTestFinished } from 'vitest'

type File = 'apiserver.crt' | 'apiserver.key'

/** A folder with a certificate that is replaced by one of another authority. */
export interface CertificateFolders {
  readonly files: { readonly certificate: string; readonly key: string }
  readonly oldAuthority: string
  readonly newAuthority: string
  /** Copies the files of the old or the new certificate into the folder. */
  install(which: 'old' | 'new', ...files: readonly File[]): void
}

/** The old certificate is installed. */
export async function makeCertificateFolders(): Promise<CertificateFolders> {
  const [before, after, used] = [newFolder('old'), newFolder('new'), newFolder('used')]
  const folders = { old: before, new: after }
  const install: CertificateFolders['install'] = (which, ...files) => {
    for (const file of files) copyFileSync(join(folders[which], file), join(used, file))
  }
  const oldAuthority = await makeCertificate(before)
  const newAuthority = await makeCertificate(after)
  install('old', 'apiserver.crt', 'apiserver.key')
  const files = { certificate: join(used, 'apiserver.crt'), key: join(used, 'apiserver.key') }
  return { files, oldAuthority, newAuthority, install }
}

function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `certificate-${name}-`))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the certificate of the authority. */
async function makeCertificate(certDir: string): Promise<string> {
  const server = await startApiServer({ logger: silentLogger, certDir })
  await server.stop()
  return server.caCertificate
}

/** The files of one certificate, for all tests of a file. */
export async function startCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const authority = await makeCertificate(folder)
  return {
    authority,
    files: { certificate: join(folder, 'apiserver.crt'), key: join(folder, 'apiserver.key') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
