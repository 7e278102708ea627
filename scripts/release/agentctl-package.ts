import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix, relative, sep } from 'node:path'
import { buildConsole } from '@agents/console'
import type { ArchiveEntry } from './tar-archive.ts'
import { scriptPath, toJavaScript } from './to-javascript.ts'
import { listWorkspaces, type Workspace, withDependencies } from './workspaces.ts'

/**
 * The files of the npm package `agentctl`: the program and its workspaces as JavaScript, in the same folders as in the
 * checkout, the built console, and the examples that its first run needs. Third-party packages are installed from the
 * registry, in the versions of the lock file; those of the console are part of its files.
 */
export async function agentctlPackage(
  root: string,
  version: string,
): Promise<readonly ArchiveEntry[]> {
  const workspaces = withDependencies('@agents/agentctl', await listWorkspaces(root))
  const entryPoints = new Map(
    workspaces.map(({ folder, manifest }) => [
      manifest.name,
      posix.join(folder, manifest.exports?.['.'] ?? ''),
    ]),
  )
  const scripts = workspaces
    .flatMap((workspace) => sourcesOf(root, workspace))
    .map(async (path) => {
      const bytes = await readFile(join(root, path))
      if (path.endsWith('.json')) return entry(path, bytes)
      return {
        ...entry(scriptPath(path), toJavaScript(bytes.toString('utf8'), path, entryPoints)),
        isExecutable: path === bin,
      }
    })
  const manifests = workspaces.map(({ folder, manifest: { name } }) =>
    entry(`${folder}/package.json`, json({ name, version, type: 'module' })),
  )
  const copies = ['LICENSE', ...examplesOf(root)].map(async (path) =>
    entry(path, await readFile(join(root, path))),
  )
  return [
    entry('package.json', json(await packageManifest(root, version, workspaces))),
    entry('README.md', await readFile(join(root, 'apps', 'agentctl', 'README.md'))),
    ...manifests,
    ...(await Promise.all([...scripts, ...copies])),
    ...(await consoleFiles()),
  ]
}

const bin = 'apps/agentctl/src/main/agentctl.mjs'

/** The sources of a workspace without its tests and without files that only a checkout needs. */
function sourcesOf(root: string, { folder }: Workspace): readonly string[] {
  return globSync(`${folder}/src/**/*.{ts,mjs,json}`, { cwd: root })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !/\.(test|check|full|soak|bench)\.ts$|\/testing\/|\/warm-up\.mjs$/.test(path))
    .toSorted()
}

function examplesOf(root: string): readonly string[] {
  const paths = globSync('charts/agents/examples/*.yaml', { cwd: root })
  return paths.map((path) => path.replaceAll(sep, '/')).toSorted()
}

/** What the control plane serves, built by itself: the folder of the checkout may change meanwhile. */
async function consoleFiles(): Promise<readonly ArchiveEntry[]> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  try {
    const built = join(folder, 'dist')
    await buildConsole(built)
    const found = globSync('**', { cwd: built, withFileTypes: true })
    // Hidden files are for the build only.
    const files = found.filter((each) => each.isFile() && !each.name.startsWith('.'))
    const paths = files.map(({ parentPath, name }) => relative(built, join(parentPath, name)))
    return await Promise.all(
      paths.toSorted().map(async (path) => {
        const target = posix.join('apps/console/dist', path.replaceAll(sep, '/'))
        return entry(target, await readFile(join(built, path)))
      }),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function packageManifest(
  root: string,
  version: string,
  workspaces: readonly Workspace[],
): Promise<unknown> {
  const project = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const all = workspaces.map(({ manifest }) => manifest)
  const { description, license } = project
  return {
    name: 'agentctl',
    version,
    description,
    license,
    type: 'module',
    bin: { agentctl: `./${bin}` },
    dependencies: foreign(all.map(({ dependencies }) => dependencies)),
    // The required Node version, which is used if the installed Node is too old.
    optionalDependencies: foreign([
      project.optionalDependencies,
      ...all.map(({ optionalDependencies }) => optionalDependencies),
    ]),
    engines: { node: '>=20' },
  }
}

type Dependencies = Readonly<Record<string, string>> | undefined

function foreign(lists: readonly Dependencies[]): Record<string, string> {
  const entries = lists.flatMap((list) => Object.entries(list ?? {}))
  const others = entries.filter(([name]) => !name.startsWith('@agents/'))
  return Object.fromEntries(others.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** npm expects everything below a folder `package`. */
function entry(path: string, content: string | Buffer): ArchiveEntry {
  return { path: `package/${path}`, content: Buffer.from(content) }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
