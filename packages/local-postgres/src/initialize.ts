import { randomBytes } from 'node:crypto'
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { runToEnd } from './run-to-end.ts'
import type { Unprivileged } from './unprivileged.ts'

/** The name of the only user and of the only database. */
export const owner = 'agents'

interface Cluster {
  readonly dataDir: string
  readonly password: string
}

/** Creates the database cluster unless it exists. An unfinished one is created again. */
export async function initialize(
  directory: string,
  binaries: Binaries,
  who: Unprivileged,
): Promise<Cluster> {
  const dataDir = join(directory, 'data')
  const passwordFile = join(directory, 'password')
  if (await exists(dataDir)) return { dataDir, password: await readFile(passwordFile, 'utf8') }
  const password = randomBytes(24).toString('base64url')
  const fresh = join(directory, 'data.new')
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  await who.own(fresh)
  await who.own(passwordFile)
  await runToEnd(who, binaries.initdb, initFlags(fresh, passwordFile))
  await runToEnd(who, binaries.postgres, ['--single', '-D', fresh, 'postgres'], createDatabase)
  await rename(fresh, dataDir)
  return { dataDir, password }
}

const createDatabase = `CREATE DATABASE ${owner}\n`

function initFlags(dataDir: string, passwordFile: string): string[] {
  return [
    `--pgdata=${dataDir}`,
    `--username=${owner}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    // The folder is renamed when it is complete, and the server syncs its files.
    '--no-sync',
    '--no-instructions',
  ]
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
