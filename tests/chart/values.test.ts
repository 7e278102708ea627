import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  at,
  identity,
  listValues,
  type RenderedObject,
  readManifest,
  readValueTree,
} from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { chart, find, type HelmVersion, render, valuesFile } from '../support/chart/render.ts'
import { containersOf } from '../support/chart/workload.ts'
import { runTool } from '../support/tools/run-tool.ts'
import { lint } from './lint.ts'
import { put } from './mutate.ts'

const timeout = 60_000
const optional = listValues(readValueTree(readFileSync(join(chart, 'values.yaml'), 'utf8'))).filter(
  ({ children, fallback, narrowing }) =>
    children.length === 0 && typeof fallback === 'object' && narrowing.minItems === undefined,
)

test('an installation with all maps and lists removed is still valid', {
  timeout,
}, async () => {
  expect(optional.length).toBeGreaterThan(80)
  const values = {}
  for (const { path } of optional) put(values, path, null)
  const [three, four] = await Promise.all([render(values, { helm: '3' }), render(values)])
  expect([three.errors, four.errors]).toEqual(['', ''])
  expect(three.objects).toEqual(four.objects)
  // The removed values include security contexts.
  expect(lint(four.objects).filter((problem) => !problem.startsWith('restricted pods'))).toEqual([])
})

test.each(['3', '4'] as const)(
  'two renders are the same, byte for byte, with Helm %s',
  { timeout },
  async (helm) => {
    const everything = valuesFile('ci/everything-values.yaml')
    const [first, second] = await Promise.all([
      render(everything, { helm }),
      render(everything, { helm }),
    ])
    expect(second.manifest).toBe(first.manifest)
    expect(first.manifest.length).toBeGreaterThan(10_000)
  },
)

describe('inside an umbrella chart', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-umbrella-'))
    await mkdir(join(folder, 'charts'))
    await cp(chart, join(folder, 'charts', 'agents'), { recursive: true })
    const dependency = { name: 'agents', version: '*' }
    const dependencies = [
      { ...dependency, condition: 'agents.enabled' },
      { ...dependency, alias: 'team-a', condition: 'team-a.enabled' },
    ]
    const definition = { apiVersion: 'v2', name: 'umbrella', version: '1.0.0', dependencies }
    await writeFile(join(folder, 'Chart.yaml'), stringify(definition))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const product = async (helm: HelmVersion, values: object): Promise<readonly RenderedObject[]> => {
    const args = ['template', 'product', folder, '--namespace', 'agents', '--values', '-']
    const { code, stdout, stderr } = await runTool(['helm', helm], args, {
      stdin: JSON.stringify(values),
    })
    expect([code, stderr]).toEqual([0, ''])
    return readManifest(stdout)
  }
  const wellKnown = (problem: string) => !problem.startsWith('Secrets listed')
  const own = { enabled: true, controllers: { enabled: true } }

  test.each(['3', '4'] as const)(
    'it honours global values, with Helm %s',
    { timeout },
    async (helm) => {
      const objects = await product(helm, {
        global: {
          imageRegistry: 'mirror.example.com',
          imagePullSecrets: ['pull'],
          other: { chart: 1 },
        },
        agents: own,
        'team-a': { enabled: false },
      })
      const deployment = find(objects, 'Deployment', 'product-agents-controllers')
      expect(at(containersOf(deployment)[0], 'image')).toMatch(/^mirror\.example\.com\//)
      expect(at(deployment, 'spec', 'template', 'spec', 'imagePullSecrets')).toEqual([
        { name: 'pull' },
      ])
      expect(lint(objects).filter(wellKnown)).toEqual([])
    },
  )

  test('it is disabled by its condition', { timeout }, async () => {
    const off = { agents: { enabled: false }, 'team-a': { enabled: false } }
    expect(await product('4', off)).toEqual([])
  })

  test('it can be installed twice under two names, and neither selects the other’s pods', {
    timeout,
  }, async () => {
    const objects = await product('4', { agents: own, 'team-a': own })
    const names = objects.map(identity)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(names).toContain('apps/Deployment agents/product-team-a-controllers')
    expect(lint(objects).filter(wellKnown)).toEqual([])
  })
})
