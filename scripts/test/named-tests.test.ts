import { globSync } from 'node:fs'
import { join, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import { namedTests } from './named-tests.ts'
import { foldersOf, suites, suitesNamed } from './suites.ts'

const root = join(import.meta.dirname, '..', '..')

describe('namedTests', () => {
  const files = [
    'packages/crd/src/cel/cost.test.ts',
    'packages/git/src/packs.check.ts',
    'tests/e2e/gittarget/gates.test.ts',
    'tests/e2e/gittarget/ssh.check.ts',
    'tests/e2e/grpc/grpc.check.ts',
  ]
  const projects = (...paths: string[]) => namedTests(paths, files, suites).projects

  test.each([
    { because: 'a quick file', path: 'packages/crd/src/cel/cost.test.ts', runs: ['quick'] },
    { because: 'a long file', path: 'tests/e2e/gittarget/ssh.check.ts', runs: ['e2e/gittarget'] },
    { because: 'a long file beside its unit', path: 'packs.check.ts', runs: ['units'] },
    { because: 'a folder with quick tests', path: 'tests/e2e/gittarget', runs: ['quick'] },
    { because: 'a folder with long tests only', path: 'tests/e2e/grpc', runs: ['e2e/grpc'] },
    { because: 'a path as the shell completes it', path: './packages/crd/', runs: ['quick'] },
  ])('runs $because', ({ path, runs }) => {
    expect(projects(path)).toEqual(runs)
  })

  test('runs each project once for several paths', () => {
    expect(projects('packages/crd', 'tests/e2e/gittarget', 'grpc.check.ts')).toEqual([
      'quick',
      'e2e/grpc',
    ])
  })

  test('reports paths that match nothing', () => {
    expect(namedTests(['packages/none'], files, suites)).toEqual({
      projects: [],
      unknown: ['packages/none'],
    })
  })
})

describe('suites', () => {
  test.each([
    { name: 'e2e/gittarget', selects: ['e2e/gittarget'] },
    { name: 'gittarget', selects: ['e2e/gittarget', 'faults/gittarget'] },
    { name: 'chart', selects: ['chart/release', 'chart/rendered-env', 'chart/values'] },
    { name: 'none', selects: [] },
  ])('are selected by $name', ({ name, selects }) => {
    expect(suitesNamed(name).map((suite) => suite.name)).toEqual(selects)
  })

  test('run every long test exactly once', () => {
    const checks = globSync('{packages,services,apps,scripts,tests}/**/*.{check,full}.ts', {
      cwd: root,
      exclude: (path) => path.endsWith('node_modules'),
    }).map((path) => path.replaceAll(sep, '/'))
    const suitesOf = (path: string) =>
      suites.filter(({ name }) => foldersOf(name).some((folder) => path.startsWith(`${folder}/`)))
    expect(checks.filter((path) => suitesOf(path).length !== 1)).toEqual([])
    const empty = suites.filter((suite) => !checks.some((path) => suitesOf(path).includes(suite)))
    expect(empty).toEqual([])
  })
})
