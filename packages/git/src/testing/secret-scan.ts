import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The command lines of these processes, by default of all of this machine, that hold one of the secrets. */
export async function commandLinesWith(
  secrets: readonly string[],
  processes?: readonly string[],
): Promise<string[]> {
  const all = processes ?? (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    all.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.filter((line) => secrets.some((secret) => line.includes(secret)))
}

/** The files below a directory that hold one of the secrets. */
export async function filesWith(directory: string, secrets: readonly string[]): Promise<string[]> {
  // What is scanned may be removed meanwhile.
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const found: string[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    if (secrets.some((secret) => bytes.includes(secret))) found.push(path)
  }
  return found
}
