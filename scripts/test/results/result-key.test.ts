import { describe, expect, test } from 'vitest'
import type { Suite } from '../suites.ts'
import { type ProjectFiles, projectFiles } from './file-set.ts'
import { type Machine, resultKey } from './result-key.ts'
import { suiteInputs } from './suite-inputs.ts'

const suite: Suite = {
  name: 'e2e/kites',
  testTimeout: 1,
  hookTimeout: 1,
  globalSetup: 'tests/e2e/kites/main/start.ts',
}
const platform: Suite = { name: 'e2e/platform', testTimeout: 1, hookTimeout: 1 }
const copies: Suite = { name: 'e2e/copies', testTimeout: 1, hookTimeout: 1, inputs: ['.'] }
const machine: Machine = { facts: { node: '26', go: '1.26', git: '/usr/bin/git 1 2' } }

const files = {
  '.npmrc': '',
  Dockerfile: 'FROM scratch',
  'README.md': '# Agents',
  'package-lock.json': '{}',
  'package.json': '{}',
  'scripts/test/durations.json': '{}',
  'scripts/test/run-tests.ts': "import { folders } from './suites.ts'",
  'scripts/test/suites.ts': "export const folders = ['packages/none', 'docs/page.md']",
  'vitest.config.ts': '',
  'packages/string/package.json': '{ "name": "@agents/string" }',
  'packages/string/src/index.ts': "import { knot } from '@agents/knot'\nexport { knot }",
  'packages/string/src/index.test.ts': "import { knot } from './index.ts'",
  'packages/string/src/colours.json': '[]',
  'packages/knot/package.json': '{ "name": "@agents/knot" }',
  'packages/knot/src/index.ts': 'export const knot = 1',
  'packages/other/package.json': '{ "name": "@agents/other" }',
  'packages/other/src/index.ts': 'export const other = "README.md"',
  'services/wind/package.json': '{ "name": "@agents/wind" }',
  'services/wind/src/main/wind.ts': "readFile(join(here, '..', 'charts', 'agents', 'crds'))",
  'services/wind/proto/wind.proto': 'syntax = "proto3";',
  'charts/agents/crds/kite.yaml': 'kind: Kite',
  'docs/page.md': '# Page',
  'tests/support/bed/bed.ts': "import { versions } from './versions.ts'\nimport '@agents/string'",
  'tests/support/bed/versions.ts': "export const versions = { kubernetes: '1.36' }",
  'tests/support/bed/unused.ts': "import '@agents/other'",
  'tests/support/bed/recorded/answers.json': '{}',
  'tests/e2e/kites/main/start.ts': '',
  'tests/e2e/kites/fly.check.ts': "import { bed } from '../../support/bed/bed.ts'",
  'tests/e2e/kites/fly.soak.ts': '',
  'tests/e2e/kites/quick.test.ts': '',
  'tests/e2e/kites/wide.full.ts': '',
  'tests/e2e/kites/judge/main.go': 'package main',
  'tests/e2e/kites/fixtures/kite.yaml': 'kind: Kite',
  'tests/e2e/platform/up.check.ts': "start('services/wind/src/main/wind.ts')",
  'tests/e2e/copies/copy.check.ts': "cp(root, '/copy')",
}

function projectFilesOf(texts: Readonly<Record<string, string>>): ProjectFiles {
  return projectFiles(Object.keys(texts).toSorted(), (path) => Buffer.from(texts[path] ?? ''))
}

function keyOf(changed: Readonly<Record<string, string>> = {}, of = suite): string {
  return resultKey(of, { tier: 'gate', files: projectFilesOf({ ...files, ...changed }), machine })
}

describe('the key of a result', () => {
  test.each([
    { because: 'a test', path: 'tests/e2e/kites/fly.check.ts' },
    { because: 'a test of the full tier', path: 'tests/e2e/kites/wide.full.ts' },
    { because: 'what starts for all files', path: 'tests/e2e/kites/main/start.ts' },
    { because: 'a fixture', path: 'tests/e2e/kites/fixtures/kite.yaml' },
    { because: 'a program in another language', path: 'tests/e2e/kites/judge/main.go' },
    { because: 'support that is imported', path: 'tests/support/bed/bed.ts' },
    { because: 'the versions of the testbed', path: 'tests/support/bed/versions.ts' },
    { because: 'a recording beside the support', path: 'tests/support/bed/recorded/answers.json' },
    { because: 'a workspace', path: 'packages/string/src/index.ts' },
    { because: 'data of a workspace', path: 'packages/string/src/colours.json' },
    { because: 'a workspace that a workspace imports', path: 'packages/knot/src/index.ts' },
    { because: 'the versions of what is installed', path: 'package-lock.json' },
    { because: 'the settings of the test runner', path: 'vitest.config.ts' },
    { because: 'how tests are run', path: 'scripts/test/run-tests.ts' },
  ])('changes with $because', ({ path }) => {
    expect(keyOf({ [path]: `${files[path as keyof typeof files]}\n// changed` })).not.toBe(keyOf())
  })

  test.each([
    { because: 'a program that is started by its path', path: 'services/wind/src/main/wind.ts' },
    { because: 'the protocol of that program', path: 'services/wind/proto/wind.proto' },
    { because: 'the chart that the program reads', path: 'charts/agents/crds/kite.yaml' },
  ])('changes with $because', ({ path }) => {
    expect(keyOf({ [path]: 'changed' }, platform)).not.toBe(keyOf({}, platform))
  })

  test.each(
    Object.keys(files).filter((path) => !/(?<!copy)\.(test|check|full|soak)\.ts$/.test(path)),
  )('of a suite that copies the checkout changes with %s', (path) => {
    const text = path.endsWith('package.json') ? '{ "name": "changed" }' : 'changed'
    expect(keyOf({ [path]: text }, copies)).not.toBe(keyOf({}, copies))
  })

  test.each([
    { because: 'a page that it does not read', path: 'docs/page.md' },
    { because: 'a workspace that it does not import', path: 'packages/other/src/index.ts' },
    { because: 'support that it does not import', path: 'tests/support/bed/unused.ts' },
    { because: 'the quick tests of a workspace', path: 'packages/string/src/index.test.ts' },
    { because: 'its quick tests', path: 'tests/e2e/kites/quick.test.ts' },
    { because: 'what takes hours', path: 'tests/e2e/kites/fly.soak.ts' },
    { because: 'the settings of other suites', path: 'scripts/test/suites.ts' },
    { because: 'what suites took', path: 'scripts/test/durations.json' },
    { because: 'another suite', path: 'tests/e2e/platform/up.check.ts' },
  ])('is the same with $because', ({ path }) => {
    expect(keyOf({ [path]: 'changed' })).toBe(keyOf())
  })

  test('changes with a new file, and with one that is deleted', () => {
    const { 'tests/e2e/kites/fixtures/kite.yaml': _, ...fewer } = files
    const other = { tier: 'gate', files: projectFilesOf(fewer), machine } as const
    expect(resultKey(suite, other)).not.toBe(keyOf())
    expect(keyOf({ 'tests/e2e/kites/new.check.ts': '' })).not.toBe(keyOf())
  })

  test('changes with the tier, the settings of the suite and the machine', () => {
    const known = projectFilesOf(files)
    const keys = [
      keyOf(),
      resultKey(suite, { tier: 'full', files: known, machine }),
      resultKey({ ...suite, maxWorkers: 2 }, { tier: 'gate', files: known, machine }),
      ...Object.keys(machine.facts).map((name) =>
        resultKey(suite, {
          ...{ tier: 'gate', files: known },
          machine: { facts: { ...machine.facts, [name]: 'other' } },
        }),
      ),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })
})

test('a budget may change', () => {
  expect(keyOf({}, { ...suite, budget: 60 })).toBe(keyOf())
})

test('a name of a file in product code is not taken for a file of the checkout', () => {
  const known = projectFilesOf({
    ...files,
    'tests/e2e/kites/fly.check.ts': "import '@agents/other'",
  })
  expect(suiteInputs(suite, known)).not.toContain('README.md')
})
