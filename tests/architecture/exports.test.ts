import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type UnusedExport, unusedExports } from './export-use.ts'

const root = join(import.meta.dirname, '..', '..')

/** Exports that are used in a way that imports do not show, or kept for a reason. */
const exceptions: readonly { readonly pattern: RegExp; readonly because: string }[] = [
  { pattern: /^tests\/bench\/[a-z-]+\.ts run$/, because: 'bench/main.ts loads it by name' },
  { pattern: /^tests\/.*\/main\/start-\w+\.ts setup$/, because: 'vitest calls it as global setup' },
  { pattern: /^scripts\/test\/suites\.ts patternsOf$/, because: 'vitest.config.ts reads it' },
  { pattern: /\/manual-clock\.ts ManualClock$/, because: 'tests of all workspaces control time' },
  { pattern: /\/builtin-kinds\.ts \w+Kind$/, because: 'the list of built-in kinds is complete' },
]

function inProject(): UnusedExport[] {
  const files = globSync('{packages,services,apps,scripts,tests}/**/*.{ts,tsx,mjs}', {
    cwd: root,
    exclude: (path) => ['node_modules', 'generated'].includes(basename(path)),
  }).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const entrances = new Map(
    globSync('{packages/*,services/*,services/*/api,apps/*}/package.json', { cwd: root }).map(
      (path) => [
        JSON.parse(readFileSync(join(root, path), 'utf8')).name as string,
        path.replace('package.json', 'src/index.ts'),
      ],
    ),
  )
  return unusedExports(files, entrances)
}

describe('exports', () => {
  test('are used by more than tests and their own file', () => {
    const unused = inProject()
      // A type of an exported signature may be exported too.
      .filter(({ usedBy, isType }) => !(usedBy === 'own file' && isType))
      .map(({ path, name, usedBy }) => ({ export: `${path} ${name}`, usedBy }))
    const unexplained = unused.filter(
      (each) => !exceptions.some(({ pattern }) => pattern.test(each.export)),
    )
    expect(unexplained).toEqual([])
    for (const { pattern, because } of exceptions) {
      expect(
        unused.some((each) => pattern.test(each.export)),
        because,
      ).toBe(true)
    }
  })

  const files = (index: string, user: string, userPath: string) => [
    { path: 'packages/a/src/part.ts', text: 'export function part() {}\n// part\n' },
    { path: 'packages/a/src/index.ts', text: index },
    { path: userPath, text: user },
  ]
  const forward = "export { part as whole } from './part.ts'\n"
  const own = { path: 'packages/a/src/part.ts', name: 'part', isType: false }
  test.each([
    {
      because: 'the index alone forwards it',
      sources: files(forward, '', 'packages/b/src/b.ts'),
      unused: [
        { ...own, usedBy: 'nobody' },
        { path: 'packages/a/src/index.ts', name: 'whole', isType: false, usedBy: 'nobody' },
      ],
    },
    {
      because: 'a test alone imports it',
      sources: files(forward, "import { whole } from '@agents/a'\n", 'packages/b/src/b.test.ts'),
      unused: [{ ...own, usedBy: 'tests' }],
    },
    {
      because: 'another workspace imports it through the index',
      sources: files(forward, "import { whole } from '@agents/a'\n", 'packages/b/src/b.ts'),
      unused: [],
    },
    {
      because: 'a module is imported when it is needed',
      sources: files('', "await import('./part.ts')\n", 'packages/a/src/late.ts'),
      unused: [],
    },
    {
      because: 'its own file alone uses it',
      sources: [{ path: 'packages/a/src/a.ts', text: 'export const size = 1\nprint(size)\n' }],
      unused: [{ path: 'packages/a/src/a.ts', name: 'size', isType: false, usedBy: 'own file' }],
    },
  ])('are recognised as unused if so: $because', ({ sources, unused }) => {
    const entrances = new Map([['@agents/a', 'packages/a/src/index.ts']])
    expect(unusedExports(sources, entrances)).toEqual(unused)
  })
})
