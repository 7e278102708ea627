import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { TestEngine } from './container-engine.ts'

const run = promisify(execFile)

interface BaseImage {
  readonly reference: string
  readonly nodeVersion: string
  /** The release of Debian. */
  readonly release: string
}

/** Parses the base image of the Dockerfile. */
export async function baseImage(repository: string): Promise<BaseImage> {
  const text = await readFile(join(repository, 'Dockerfile'), 'utf8')
  const [, nodeVersion = '', release = ''] =
    /^ARG BASE_IMAGE=node:([\d.]+)-(\w+)-slim\b/m.exec(text) ?? []
  return {
    reference: `docker.io/library/node:${nodeVersion}-${release}-slim`,
    nodeVersion,
    release,
  }
}

export interface Archive {
  readonly path: string
}

/**
 * An archive of the Debian release, built from its packages once per machine. Returns the reason as a string if that is
 * not possible.
 */
export async function debianArchive(
  { release }: BaseImage,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Archive | string> {
  if (process.getuid?.() !== 0) return 'only root can put a Debian together'
  if (!(await isThere('mmdebstrap'))) return 'there is no mmdebstrap on this machine'
  const path = await debian(release, env)
  return path === undefined ? `Debian ${release} cannot be fetched from here` : { path }
}

/**
 * Imports a substitute for the base image under the same name, so that the unchanged Dockerfile can be built without a
 * registry: the same Debian release, with the Node that runs this and the machine's npm.
 */
export async function importBaseImage(
  engine: TestEngine,
  { reference }: BaseImage,
  { path }: Archive,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const context = await mkdtemp(join(tmpdir(), 'agents-base-'))
  try {
    await engine.importImage(path, 'localhost/agents-test/debian:1')
    await copyFile(process.execPath, join(context, 'node'))
    const npm = dirname(dirname(await realpath((await run('which', ['npm'])).stdout.trim())))
    await cp(npm, join(context, 'npm'), { recursive: true })
    const certificates = env.NODE_EXTRA_CA_CERTS
    await copyFile(certificates || '/dev/null', join(context, 'certificates.pem'))
    await writeFile(join(context, 'Dockerfile'), recipe)
    await engine.build(context, reference)
  } finally {
    await rm(context, { recursive: true, force: true })
  }
}

/** The build trusts the same additional certificate authority as the machine. */
const recipe = `FROM localhost/agents-test/debian:1
RUN echo 'Acquire::Retries "5";' > /etc/apt/apt.conf.d/80-retries
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY certificates.pem /usr/local/share/certificates.pem
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=/usr/local/share/certificates.pem
`

async function debian(release: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const cache = env.AGENTS_TESTBED_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const path = join(cache, 'agents-debian', `${release}-${process.arch}.tar`)
  if (existsSync(path)) return path
  await mkdir(dirname(path), { recursive: true })
  const partial = `${path}.${process.pid}.tar`
  try {
    // Shared libraries that Node is linked with.
    const packages = '--include=libatomic1,libstdc++6'
    const options = { timeout: 240_000, maxBuffer: 1 << 26 }
    await run(
      'mmdebstrap',
      ['--mode=root', '--variant=minbase', packages, release, partial],
      options,
    )
    await rename(partial, path)
    return path
  } catch {
    return undefined
  } finally {
    await rm(partial, { force: true })
  }
}

async function isThere(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  )
}
