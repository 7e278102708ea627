import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The workspace of the console. */
const root = join(import.meta.dirname, '..', '..')

/** Where the built files are: the control plane serves them from here. */
const outputFolder = join(root, 'dist')

/** Names the sources that a build was made from. Hidden files are not served. */
const digestFile = '.digest'

type BuildOutcome = 'built' | 'unchanged'

/** Builds the console unless that was done with the same sources. A build that fails leaves the last one as it is. */
export async function buildConsole(folder: string = outputFolder): Promise<BuildOutcome> {
  const digest = await sourceDigest()
  const known = await readFile(join(folder, digestFile), 'utf8').catch(() => '')
  if (known === digest) return 'unchanged'
  const next = `${folder}.${randomUUID()}`
  try {
    // In a process of its own: it ends with all that the bundler has loaded, and has settings of its own.
    await run(process.execPath, [join(root, 'src', 'main', 'bundle.ts'), next])
    await writeFile(join(next, digestFile), digest)
    await replace(folder, next)
  } finally {
    await rm(next, { recursive: true, force: true })
  }
  return 'built'
}

/** Between the two renames the folder does not exist: a server keeps what it has read before. */
async function replace(folder: string, next: string): Promise<void> {
  const old = `${folder}.${randomUUID()}`
  await mkdir(folder, { recursive: true })
  await rename(folder, old)
  await rename(next, folder)
  await rm(old, { recursive: true, force: true })
}

/** Of everything that a build reads: the sources, those of the client, and the versions of packages. */
async function sourceDigest(): Promise<string> {
  const repository = join(root, '..', '..')
  const patterns = [
    'apps/console/{index.html,package.json,tsconfig.json}',
    'apps/console/public/**',
    'apps/console/src/{browser,build,main}/**',
    'packages/client/src/**',
    'package-lock.json',
  ]
  const paths: string[] = []
  for await (const entry of glob(patterns, { cwd: repository, withFileTypes: true })) {
    if (entry.isFile() && !entry.name.endsWith('.test.ts')) {
      paths.push(join(entry.parentPath, entry.name))
    }
  }
  const hash = createHash('sha256').update(process.version)
  for (const path of paths.sort()) {
    const content = await readFile(path)
    hash.update(`${path.slice(repository.length)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}
