import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generatedFiles, ownedFolders } from '../../scripts/generate/files.ts'

const root = join(import.meta.dirname, '..', '..')
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: root }),
]

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The anchors that GitHub gives to headings. */
function anchorsOf(path: string): string[] {
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('documents', () => {
  test.each(documents)('%s links to what exists', (path) => {
    const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      if (!existsSync(join(root, target))) return true
      if (anchor === undefined || statSync(join(root, target)).isDirectory()) return false
      return !anchorsOf(target).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('troubleshooting names only conditions and reasons that kinds declare', () => {
    const declared = read('docs/conditions.md')
    const named = [...read('docs/troubleshooting.md').matchAll(/^\| (?:any gate )?`([^|]+)` \|/gm)]
      .flatMap(([, words = '']) => words.split('` `'))
      .filter((word) => /^[A-Z]\w+$/.test(word))
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((word) => !declared.includes(`\`${word}\``))).toEqual([])
  })

  test('the bounds of what text can cost name tests that exist', () => {
    const [, table = ''] = read('docs/security.md').split("## What a tenant's text can cost")
    const rows = (table.split('\n## ')[0] ?? '')
      .split('\n')
      .filter((line) => /^\| (?!text|---)/.test(line))
    expect(rows.length).toBeGreaterThan(20)
    for (const row of rows) {
      const tests = [...row.matchAll(/`([\w./-]+\.(?:test|check)\.ts)`/g)].map(
        ([, path = '']) => path,
      )
      expect(tests, row).not.toEqual([])
      expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([])
    }
  })

  test('the README maps every package', () => {
    const [, mapped = ''] = /^packages\/ +libraries: (.+)$/m.exec(read('README.md')) ?? []
    const packages = globSync('packages/*/package.json', { cwd: root })
    expect(mapped.split(' · ').toSorted()).toEqual(
      packages.map((path) => basename(dirname(path))).toSorted(),
    )
  })

  test('the contributing guide lists every generated file', () => {
    const guide = read('CONTRIBUTING.md')
    const paths = [...generatedFiles().keys()].filter(
      (path) => !ownedFolders.some((folder) => path.startsWith(`${folder}/`)),
    )
    expect(paths.length).toBeGreaterThan(5)
    const unlisted = [...ownedFolders, ...paths].filter((path) => !guide.includes(`\`${path}\``))
    expect(unlisted).toEqual([])
  })

  test('the local platform describes every mode of the scripted agent', () => {
    const [, list = ''] =
      /const modes = \[([^\]]+)\]/.exec(read('services/jangar/src/scripted-agent/script.ts')) ?? []
    const modes = [...list.matchAll(/'([^']+)'/g)].map(([, mode = '']) => mode)
    expect(modes.length).toBeGreaterThan(5)
    const page = read('docs/local.md')
    expect(modes.filter((mode) => !page.includes(`| \`${mode}\` |`))).toEqual([])
  })

  test('the concepts list every kind', () => {
    const page = read('docs/concepts.md')
    const kinds = globSync('docs/api/*.md', { cwd: root }).map((path) => {
      const [, kind = ''] = /^# (\w+)/.exec(read(path)) ?? []
      return kind
    })
    expect(kinds.length).toBeGreaterThan(20)
    expect(kinds.filter((kind) => !new RegExp(`\\b${kind}\\b`).test(page))).toEqual([])
  })
})
