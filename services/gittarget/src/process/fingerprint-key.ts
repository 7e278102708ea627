import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The key that recognizes unchanged encrypted files of targets without an age identity. It cannot decrypt anything.
 * If it is lost, all Secrets are encrypted again once.
 */
export async function fingerprintKey(stateDir: string): Promise<Buffer> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  const file = join(stateDir, 'fingerprint.key')
  const known = await readFile(file).catch(() => undefined)
  if (known?.length === keyBytes) return known
  const key = randomBytes(keyBytes)
  await writeFile(file, key, { mode: 0o600 })
  return key
}

const keyBytes = 32
