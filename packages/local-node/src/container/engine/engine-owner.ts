import { createHash, randomUUID } from 'node:crypto'
import { readFile, readlink, rename, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/**
 * The labels by which a node recognizes its containers in an engine that others may use too. The first identifies the
 * state folder by a name that is stored in it. The second identifies the location of the folder: if another state
 * folder was there before, it is lost, and so is all knowledge of its containers. The same path on another machine is
 * another location.
 */
export async function engineLabels(stateDir: string, bootId: string): Promise<string[]> {
  // Paths are relative to a mount namespace, and a container has its own.
  const mounts = await readlink('/proc/self/ns/mnt').catch(() => hostname())
  const place = createHash('sha256').update(`${bootId}\n${mounts}\n${stateDir}`).digest('hex')
  return [
    `agents.local-node=${await nameIn(stateDir)}`,
    `agents.local-node.place=${place.slice(0, 32)}`,
  ]
}

async function nameIn(stateDir: string): Promise<string> {
  const path = join(stateDir, 'node-id')
  const known = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (known !== '') return known
  const name = randomUUID()
  await writeFile(`${path}.new`, `${name}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return name
}
