import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { describe, expect, test } from 'vitest'

/** The layer table of docs/architecture.md: what each workspace may import of ours, beside itself. */
const mayImport: Record<string, readonly string[]> = {
  '@agents/kube': [],
  '@agents/config': [],
  '@agents/log': [],
  '@agents/chart-tools': [],
  '@agents/agent-events': [],
  '@agents/forge': [],
  '@agents/patterns': [],
  '@agents/client': [],
  '@agents/status': ['@agents/kube'],
  '@agents/crd': ['@agents/kube'],
  '@agents/tracing': ['@agents/config', '@agents/log'],
  '@agents/git': ['@agents/log', '@agents/patterns'],
  '@agents/artifact-store': ['@agents/log'],
  '@agents/local-postgres': ['@agents/log'],
  '@agents/controller': ['@agents/kube', '@agents/log', '@agents/status', '@agents/tracing'],
  '@agents/process': [
    '@agents/controller',
    '@agents/config',
    '@agents/log',
    '@agents/kube',
    '@agents/tracing',
  ],
  '@agents/apiserver': ['@agents/kube', '@agents/log', '@agents/crd'],
  '@agents/local-node': ['@agents/kube', '@agents/log', '@agents/controller'],
  '@agents/jangar-api': ['@agents/kube', '@agents/status', '@agents/crd'],
  '@agents/gittarget-api': ['@agents/kube', '@agents/status', '@agents/crd'],
  '@agents/jangar': [
    '@agents/agent-events',
    '@agents/artifact-store',
    '@agents/kube',
    '@agents/config',
    '@agents/log',
    '@agents/status',
    '@agents/tracing',
    '@agents/crd',
    '@agents/git',
    '@agents/forge',
    '@agents/patterns',
    '@agents/controller',
    '@agents/process',
    '@agents/jangar-api',
    '@agents/gittarget-api',
  ],
  '@agents/gittarget': [
    '@agents/kube',
    '@agents/config',
    '@agents/log',
    '@agents/status',
    '@agents/tracing',
    '@agents/crd',
    '@agents/git',
    '@agents/patterns',
    '@agents/controller',
    '@agents/process',
    '@agents/gittarget-api',
  ],
  '@agents/agentctl': [
    '@agents/agent-events',
    '@agents/kube',
    '@agents/config',
    '@agents/log',
    '@agents/status',
    '@agents/tracing',
    '@agents/crd',
    '@agents/git',
    '@agents/controller',
    '@agents/process',
    '@agents/apiserver',
    '@agents/local-node',
    '@agents/local-postgres',
    '@agents/jangar-api',
    '@agents/gittarget-api',
    '@agents/jangar',
    '@agents/gittarget',
  ],
  '@agents/console': ['@agents/client'],
}

const root = join(import.meta.dirname, '..', '..')

/** As docs/architecture.md tells it: `packages/kube` → what its row says it may import. */
const documented = new Map(
  [
    ...readFileSync(join(root, 'docs', 'architecture.md'), 'utf8').matchAll(
      /^\| L\d \| (.+?) \| .+ \| (.+?) \|$/gm,
    ),
  ].flatMap(([, folders = '', below = '']) =>
    [...folders.matchAll(/`([^`]+)`/g)].map(([, folder = '']) => [folder, below] as const),
  ),
)

/** They hold the house together from outside, and nothing may import them. */
const outside = ['@agents/scripts', '@agents/tests']

interface Manifest {
  name: string
  exports?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  workspaces?: string[]
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8'))
}

const workspaces = (readManifest(join(root, 'package.json')).workspaces ?? [])
  .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
  .map((path) => ({ folder: dirname(path), manifest: readManifest(join(root, path)) }))
  .sort((a, b) => a.folder.localeCompare(b.folder))

const layered = workspaces.filter(({ manifest }) => !outside.includes(manifest.name))

const sources = globSync('{packages,services,apps,scripts,tests}/**/*.{ts,tsx,mts}', {
  cwd: root,
  exclude: (path) => basename(path) === 'node_modules',
}).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

function ours(dependencies: Record<string, string> = {}) {
  return Object.keys(dependencies).filter((name) => name.startsWith('@agents/'))
}

/** The workspace that a file belongs to: the innermost folder that has a manifest. */
function workspaceOf(path: string) {
  return workspaces
    .filter(({ folder }) => path.startsWith(folder + sep))
    .sort((a, b) => b.folder.length - a.folder.length)[0]
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, specifier]) => specifier ?? '',
  )
}

describe('the layers', () => {
  test.each(layered.map(({ manifest }) => manifest))(
    '$name depends only on layers below it',
    ({ name, dependencies }) => {
      expect(Object.keys(mayImport)).toContain(name)
      expect(mayImport[name]).toEqual(expect.arrayContaining(ours(dependencies)))
    },
  )

  test.each(layered)('$folder is held to what its documented row says', ({ folder, manifest }) => {
    const row = documented.get(folder.replaceAll(sep, '/'))
    // Services and programs may use whole layers; which packages of them they do use is said above.
    if (row === 'L0–L2' || row === 'L0–L3') return
    const names = row === '—' ? [] : row?.split(', ').map((name) => `@agents/${name}`)
    expect(names?.toSorted()).toEqual(mayImport[manifest.name]?.toSorted())
  })

  test('have no cycle, development dependencies of tests apart', () => {
    const rank = Object.keys(mayImport)
    for (const [name, below] of Object.entries(mayImport)) {
      for (const other of below) expect(rank.indexOf(other)).toBeLessThan(rank.indexOf(name))
    }
  })

  test('are entered through one door each', () => {
    for (const { manifest } of layered) {
      expect(manifest.exports, manifest.name).toEqual({ '.': './src/index.ts' })
    }
  })
})

describe('imports', () => {
  test('name a workspace, never a file inside another one', () => {
    const deep = sources.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((specifier) => /^@agents\/[^/]+\/./.test(specifier))
        .map((specifier) => `${path}: ${specifier}`),
    )
    expect(deep).toEqual([])
  })

  // Benchmarks and comparisons with the real server look at parts that a package keeps to itself.
  const mayLookInside = (path: string) => path.startsWith(`tests${sep}`)

  test('stay inside their own workspace when they are relative', () => {
    const production = sources.filter(({ path }) => !mayLookInside(path))
    const escaping = production.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(root, join(root, dirname(path), specifier)))
        .filter((target) => workspaceOf(target) !== workspaceOf(path))
        .map((target) => `${path}: ${target}`),
    )
    expect(escaping).toEqual([])
  })

  test('of production code are declared as dependencies, not as development ones', () => {
    const undeclared = sources.flatMap(({ path, text }) => {
      const workspace = workspaceOf(path)
      if (!workspace || /\.(test|check|full|soak)\.ts$|\/testing\//.test(path)) return []
      const declared = [workspace.manifest.name, ...ours(workspace.manifest.dependencies)]
      return importsOf(text)
        .filter((specifier) => specifier.startsWith('@agents/') && !declared.includes(specifier))
        .map((specifier) => `${path}: ${specifier}`)
    })
    expect(undeclared).toEqual([])
  })
})

describe('the house', () => {
  test('has no drawers for odds and ends', () => {
    const drawers = /(^|-)(utils?|helpers?|common|misc|types)(\.|-|$)/
    const found = sources
      .map(({ path }) => path)
      .filter((path) => path.split(sep).some((part) => drawers.test(part)))
    expect(found).toEqual([])
  })

  test('exports by name, one by one', () => {
    const stars = sources.filter(({ text }) => /^export \*/m.test(text)).map(({ path }) => path)
    expect(stars).toEqual([])
  })

  test('tests real parts, never mocked modules', () => {
    const marker = `vi.${'mock'}(`
    expect(sources.filter(({ text }) => text.includes(marker)).map(({ path }) => path)).toEqual([])
  })
})
