import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyMaterial, type KeyMaterial, renewServing } from './key-material.ts'

const files: { readonly [Part in keyof KeyMaterial]: string } = {
  caCertificate: 'ca.crt',
  caKey: 'ca.key',
  servingCertificate: 'apiserver.crt',
  servingKey: 'apiserver.key',
  serviceAccountKey: 'service-account.key',
  adminToken: 'admin.token',
}

const parts = Object.keys(files) as (keyof KeyMaterial)[]

/**
 * Reads the key material of a folder, or creates it on first use. The admin token is written last: if it is missing, an
 * earlier start was interrupted before any client could use the keys, so all of them are created again.
 */
export async function openKeyFolder(folder: string, now: Date): Promise<KeyMaterial> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const found = await readMaterial(folder)
  const material = found ? renewServing(found, now) : createKeyMaterial(now)
  for (const part of parts) {
    if (found?.[part] !== material[part])
      await writePrivate(join(folder, files[part]), material[part])
  }
  return material
}

async function readMaterial(folder: string): Promise<KeyMaterial | undefined> {
  const texts = await Promise.all(parts.map((part) => readText(join(folder, files[part]))))
  if (texts.at(-1) === undefined) return undefined
  const missing = parts.filter((_, index) => texts[index] === undefined)
  if (missing.length > 0) {
    const names = missing.map((part) => files[part]).join(', ')
    throw new Error(
      `${names} missing in ${folder}: restore from a backup, or delete the folder to create new keys`,
    )
  }
  return Object.fromEntries(
    parts.map((part, index) => [part, texts[index]]),
  ) as unknown as KeyMaterial
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`cannot read ${path}`, { cause: error })
  }
}

/** Writes a file atomically and readable by its owner only. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(text.endsWith('\n') ? text : `${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}
