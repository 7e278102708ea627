import { globSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type FolderCycle, folderCycles, readImportGraph } from './import-graph.ts'

const root = join(import.meta.dirname, '..', '..')
const ofTests = /\.(test|check|full|soak|bench)\.ts$|\/testing\//

/** Tests may use any part of their workspace. */
const sources = globSync('{packages,services,apps,scripts}/**/*.{ts,tsx,mjs}', {
  cwd: root,
  exclude: (path) => basename(path) === 'node_modules',
})
  .map((path) => path.replaceAll(sep, '/'))
  .filter((path) => !ofTests.test(path))

function nameOf({ parent, folders }: FolderCycle) {
  return `${parent}: ${folders.join(', ')}`
}

describe('folders of a workspace', () => {
  test('import each other in one direction only', () => {
    const cycles = folderCycles(readImportGraph(root, sources))
    expect(cycles.map((cycle) => [nameOf(cycle), ...cycle.imports])).toEqual([])
  })
})

describe('folderCycles', () => {
  const graph = (imports: Record<string, readonly string[]>) =>
    new Map(Object.entries(imports).map(([path, targets]) => [path, new Set(targets)]))

  test('finds two folders that import each other', () => {
    const cycles = folderCycles(
      graph({ 'src/a/x.ts': ['src/b/y.ts'], 'src/b/z.ts': ['src/a/w.ts'] }),
    )
    expect(cycles).toEqual([
      {
        parent: 'src',
        folders: ['a', 'b'],
        imports: ['src/a/x.ts -> src/b/y.ts', 'src/b/z.ts -> src/a/w.ts'],
      },
    ])
  })

  test('finds a circle of three', () => {
    const imports = { 'a/x.ts': ['b/x.ts'], 'b/x.ts': ['c/x.ts'], 'c/y.ts': ['a/z.ts'] }
    expect(folderCycles(graph(imports)).map(({ folders }) => folders)).toEqual([['a', 'b', 'c']])
  })

  test('allows one direction, and imports inside a folder', () => {
    const imports = { 'a/x.ts': ['b/x.ts', 'a/y.ts'], 'a/y.ts': ['a/x.ts'], 'b/x.ts': [] }
    expect(folderCycles(graph(imports))).toEqual([])
  })
})

describe('rooms of tests/', () => {
  test('import themselves and support only', () => {
    const paths = globSync('tests/**/*.{ts,tsx,mjs}', {
      cwd: root,
      exclude: (path) => basename(path) === 'node_modules',
    }).map((path) => path.replaceAll(sep, '/'))
    const roomOf = (path: string) => path.split('/')[1] ?? ''
    const crossing = [...readImportGraph(root, paths)].flatMap(([path, targets]) =>
      [...targets]
        .filter((target) => ![roomOf(path), 'support'].includes(roomOf(target)))
        .map((target) => `${path} -> ${target}`),
    )
    expect(crossing).toEqual([])
  })
})
