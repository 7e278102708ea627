import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, listValues, readManifest, readValueTree } from '@agents/chart-tools'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chart, render, valuesFile } from '../../support/chart/render.ts'
import { isFull } from '../../support/tier.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { put } from '../mutate.ts'

const everything = valuesFile('ci/everything-values.yaml')
const leaves = listValues(readValueTree(readFileSync(join(chart, 'values.yaml'), 'utf8'))).filter(
  ({ children }) => children.length === 0,
)
const mayGo = leaves.filter(({ fallback }) => typeof fallback === 'object')

describe('maps and lists that are removed', () => {
  const groups = Map.groupBy(mayGo, ({ path }) => path[0] ?? '')
  // Enabled features need them, and the render reports it.
  const refused: Readonly<Record<string, string>> = {
    argocdHooks: 'argocdHooks.smoke.agentRun is empty',
    extraVolumes: 'extraVolumeMounts has "cache"',
    httpRoute: 'httpRoute.parentRefs is empty',
    ingress: 'ingress.hosts is empty',
    networkPolicy: "missing property 'policyTypes'",
    resources: 'autoscaling measures cpu relative to its request, which is unset',
  }

  const renderWithout = (keys: readonly string[]) => {
    const values = structuredClone(everything)
    for (const { path } of keys.flatMap((key) => groups.get(key) ?? [])) put(values, path, null)
    return render(values)
  }

  test.each(Object.entries(refused))('%s: %s', async (key, problem) => {
    expect((await renderWithout([key])).errors).toContain(problem)
  })

  const others = [...groups.keys()].filter((key) => !(key in refused))
  // Many are removed together in the gate: a template that fails without one fails without others too.
  const size = isFull ? 1 : 12
  const together = Array.from({ length: Math.ceil(others.length / size) }, (_, at) =>
    others.slice(at * size, (at + 1) * size),
  )

  test.each(together)('%s…', async (...keys) => {
    const { objects, errors } = await renderWithout(keys)
    expect(errors).toBe('')
    expect(objects.length).toBeGreaterThan(20)
  })
})

test('the package contains definitions and README, and no examples, profiles or baselines', async () => {
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
    ).toHaveLength(25)
    expect(readFileSync(file).length).toBeLessThan(200_000)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
