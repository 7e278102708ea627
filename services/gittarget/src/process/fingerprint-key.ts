import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The key with which encrypted files are recognised where no age identity is at hand. Who loses it re-encrypts once; it opens
 * nothing.
 */
export async function fingerprintKey(stateDir: string): Promise<Buffer> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  const file = join(stateDir, 'fingerprint.key')
  const known = await readFile(file).catch(() => undefined)
  if (known?.length === LENGTH) return known
  const key = randomBytes(LENGTH)
  await writeFile(file, key, { mode: 0o600 })
  return key
}

const LENGTH = 32
