import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * The path of a Go program, built once per version of its sources; undefined where Go is not installed, which is an
 * error on CI. `mainPackage` is the package to build, if not that of the folder: a folder without code of its own pins
 * the versions of a published program in go.mod and go.sum.
 */
export async function ensureGoProgram(
  sources: string,
  env: NodeJS.ProcessEnv = process.env,
  mainPackage = '.',
): Promise<string | undefined> {
  const name = basename(sources)
  const hash = createHash('sha256')
  for (const file of (await readdir(sources)).toSorted()) {
    hash.update(await readFile(join(sources, file)))
  }
  if (mainPackage !== '.') hash.update(mainPackage)
  const key = hash.digest('hex').slice(0, 16)
  const root = env.AGENTS_TESTBED_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const directory = join(root, 'agents-go-programs', key)
  const path = join(directory, name)
  if (await exists(path)) return path
  await mkdir(directory, { recursive: true })
  const partial = `${path}.${process.pid}`
  try {
    console.log(`building ${name} in Go (first time only, minutes) …`)
    await promisify(execFile)('go', ['build', '-trimpath', '-o', partial, mainPackage], {
      cwd: sources,
      env: { ...env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off' },
    })
  } catch (error) {
    const isWithoutGo = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isWithoutGo && env.CI !== 'true') return undefined
    throw error
  }
  await rename(partial, path)
  return path
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
