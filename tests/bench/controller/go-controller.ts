import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const sources = join(import.meta.dirname, '..', 'go', 'controller')

/** The path of the Go controller, built once for each state of its sources; undefined where there is no Go. */
export async function ensureGoController(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum', 'main.go'])
    hash.update(await readFile(join(sources, file)))
  const key = hash.digest('hex').slice(0, 16)
  const root = env.AGENTS_TESTBED_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const directory = join(root, 'agents-bench', key)
  const path = join(directory, 'controller')
  if (await exists(path)) return path
  await mkdir(directory, { recursive: true })
  const partial = `${path}.${process.pid}`
  try {
    console.log('building the Go controller (first time only, minutes) …')
    await promisify(execFile)('go', ['build', '-trimpath', '-o', partial, '.'], {
      cwd: sources,
      env: { ...env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off' },
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  await rename(partial, path)
  return path
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
