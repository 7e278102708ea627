import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** What the linter cannot check. */
const files = globSync('{packages,services,apps,scripts,tests}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: (path) => ['node_modules', 'generated'].includes(basename(path)),
}).map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n') }))

function found(pattern: RegExp): string[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line}`] : [])),
  )
}

test('functions of a module are declared as functions', () => {
  // A type annotation needs a constant; everything else does not.
  expect(found(/^(export )?const \w+ = (async )?(<.*>)?\((\w+\??[:,)]|\{|\[\w|\)).*=>/)).toEqual([])
})

test('constants are in camelCase', () => {
  expect(found(/^(export )?const [A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/)).toEqual([])
})

test('comments have at most 120 columns', () => {
  const long = found(/^\s*(\/\/|\/?\*)/).filter((line) => {
    const text = line.slice(line.indexOf(' ') + 1)
    return text.length > 120 && text.trim().includes(' ', 3)
  })
  expect(long).toEqual([])
})

test('files have at most 400 lines', () => {
  const long = files.filter(({ lines }) => lines.length > 401).map(({ path }) => path)
  expect(long).toEqual([])
})
