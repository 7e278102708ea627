import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
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
  await buildConsole()
  const copies = ['LICENSE', ...examplesOf(root), ...consoleOf(root)].map(async (path) =>
    entry(path, await readFile(join(root, path))),
  )
  return [
    entry('package.json', json(await packageManifest(root, version, workspaces))),
    entry('README.md', await readFile(join(root, 'apps', 'agentctl', 'README.md'))),
    ...manifests,
    ...(await Promise.all([...scripts, ...copies])),
  ]
}

const bin = 'apps/agentctl/src/main/agentctl.mjs'

/** The sources of a workspace without its tests and without files that only a checkout needs. */
function sourcesOf(root: string, { folder }: Workspace): readonly string[] {
  return globSync(`${folder}/src/**/*.{ts,mjs,json}`, { cwd: root })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !/\.(test|check|soak|bench)\.ts$|\/testing\/|\/warm-up\.mjs$/.test(path))
    .toSorted()
}

function examplesOf(root: string): readonly string[] {
  const paths = globSync('charts/agents/examples/*.yaml', { cwd: root })
  return paths.map((path) => path.replaceAll(sep, '/')).toSorted()
}

/** What the control plane serves. Hidden files are for the build only. */
function consoleOf(root: string): readonly string[] {
  const entries = globSync('apps/console/dist/**', { cwd: root, withFileTypes: true })
  return entries
    .filter((each) => each.isFile() && !each.name.startsWith('.'))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll(sep, '/'))
    .toSorted()
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
