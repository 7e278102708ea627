import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { at, readManifest } from '../../scripts/chart/compat/chart-snapshot.ts'
import { listValues, readValueTree } from '../../scripts/chart/value-tree.ts'
import { lint } from '../chart/lint.ts'
import { put } from '../chart/mutate.ts'
import { chart, find, render, valuesFile } from '../chart/render.ts'
import { containersOf } from '../chart/workload.ts'
import { runTool } from '../tools/run-tool.ts'

const everything = valuesFile('ci/everything-values.yaml')
const leaves = listValues(readValueTree(readFileSync(join(chart, 'values.yaml'), 'utf8'))).filter(
  ({ children }) => children.length === 0,
)
const mayGo = leaves.filter(({ fallback }) => typeof fallback === 'object')
const optional = mayGo.filter(({ narrowing }) => narrowing.minItems === undefined)

describe('maps and lists that are taken away', () => {
  const groups = Map.groupBy(mayGo, ({ path }) => path[0] ?? '')
  // What is turned on needs them, and the render says so.
  const refused: Readonly<Record<string, string>> = {
    argocdHooks: 'argocdHooks.smoke.agentRun is empty',
    extraVolumes: 'extraVolumeMounts has "cache"',
    httpRoute: 'httpRoute.parentRefs is empty',
    ingress: 'ingress.hosts is empty',
    networkPolicy: "missing property 'policyTypes'",
    resources: 'autoscaling measures cpu against a request that is not there',
  }

  test.each([...groups.keys()])('%s', async (key) => {
    const values = structuredClone(everything)
    for (const { path } of groups.get(key) ?? []) put(values, path, null)
    const { objects, errors } = await render(values)
    if (key in refused) {
      expect(errors).toContain(refused[key])
      return
    }
    expect(errors).toBe('')
    expect(objects.length).toBeGreaterThan(20)
  })

  test('all of them at once leave an installation that stands', async () => {
    const values = {}
    for (const { path } of optional) put(values, path, null)
    const { errors, objects } = await render(values)
    expect(errors).toBe('')
    // Security contexts are among what was taken away.
    expect(lint(objects).filter((problem) => !problem.startsWith('restricted pods'))).toEqual([])
  })
})

test('two renders are the same, byte for byte', async () => {
  const [first, second] = await Promise.all([render(everything), render(everything)])
  expect(second.manifest).toBe(first.manifest)
  expect(first.manifest.length).toBeGreaterThan(10_000)
})

describe('inside an umbrella chart', () => {
  test.each(['3', '4'] as const)('with Helm %s', async (helm) => {
    const folder = await mkdtemp(join(tmpdir(), 'agents-umbrella-'))
    try {
      await mkdir(join(folder, 'charts'))
      await cp(chart, join(folder, 'charts', 'agents'), { recursive: true })
      await writeFile(
        join(folder, 'Chart.yaml'),
        [
          'apiVersion: v2',
          'name: umbrella',
          'version: 1.0.0',
          'dependencies:',
          '  - {name: agents, version: "*", condition: agents.enabled}',
        ].join('\n'),
      )
      const values = (enabled: boolean) =>
        JSON.stringify({
          global: {
            imageRegistry: 'mirror.example.com',
            imagePullSecrets: ['pull'],
            other: { chart: 1 },
          },
          agents: { enabled, controllers: { enabled: true } },
        })
      const args = ['template', 'product', folder, '--namespace', 'agents', '--values', '-']
      const on = await runTool(['helm', helm], args, { stdin: values(true) })
      const off = await runTool(['helm', helm], args, { stdin: values(false) })
      expect([on.code, off.code]).toEqual([0, 0])
      const objects = readManifest(on.stdout)
      const deployment = find(objects, 'Deployment', 'product-agents-controllers')
      expect(at(containersOf(deployment)[0], 'image')).toMatch(/^mirror\.example\.com\//)
      expect(at(deployment, 'spec', 'template', 'spec', 'imagePullSecrets')).toEqual([
        { name: 'pull' },
      ])
      expect(lint(objects).filter((problem) => !problem.startsWith('Secrets listed'))).toEqual([])
      expect(readManifest(off.stdout)).toEqual([])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

test('the package has definitions and README, and no examples, profiles or baselines', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agents-package-'))
  try {
    const version = at(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')), 'version')
    await runTool(['helm', '4'], ['package', chart, '--destination', folder])
    const file = join(folder, `agents-${version}.tgz`)
    const { stdout } = await runTool(['helm', '4'], ['show', 'readme', file])
    expect(stdout).toContain('Rollback: what is safe to revert')
    const rendered = await runTool(['helm', '4'], ['template', 'agents', file, '--include-crds'])
    expect(
      readManifest(rendered.stdout).filter(({ kind }) => kind === 'CustomResourceDefinition'),
    ).toHaveLength(23)
    expect(readFileSync(file).length).toBeLessThan(200_000)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
