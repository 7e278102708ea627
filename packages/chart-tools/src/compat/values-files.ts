import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { parse } from 'yaml'
import { at, listAt } from './chart-snapshot.ts'
import { mergeValues, readValues, type Values } from './values-file.ts'
import type { ValuesFile } from './values-report.ts'

/** The values that ship with the chart: profiles, the values of ci/, and those of each GitOps overlay. */
export async function shippedValues(root: string, chart: string): Promise<readonly ValuesFile[]> {
  const profiles = [
    ...globSync(join(chart, 'values-*.yaml')),
    ...globSync(join(chart, 'ci', '*-values.yaml')),
  ].sort()
  const overlays = globSync(join(root, 'argocd', 'applications', '*', 'kustomization.yaml')).sort()
  const sets = [
    ...profiles.map((path) => [path]),
    ...(await Promise.all(overlays.map(overlayed))).flat(),
  ]
  return Promise.all(sets.map((paths) => readSet(paths, root)))
}

/** Merges files like several `--values` of Helm. */
export async function readSet(paths: readonly string[], root: string): Promise<ValuesFile> {
  let values: Values = {}
  for (const path of paths) values = mergeValues(values, await readOne(path))
  return { name: paths.map((path) => relative(root, path)).join(' + '), values }
}

async function readOne(path: string): Promise<Values> {
  const text = await readFile(path === '-' ? '/dev/stdin' : path, 'utf8')
  try {
    return readValues(text)
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

/** The values of a GitOps overlay, for each installation of the chart in it. */
export async function overlayValues(kustomization: string): Promise<readonly Values[]> {
  const sets = await overlayed(kustomization)
  return Promise.all(sets.map(async (paths) => (await readSet(paths, '')).values))
}

async function overlayed(kustomization: string): Promise<readonly (readonly string[])[]> {
  const folder = dirname(kustomization)
  return listAt(parse(await readFile(kustomization, 'utf8')), 'helmCharts')
    .filter((entry) => at(entry, 'name') === 'agents')
    .map((entry) =>
      [at(entry, 'valuesFile'), ...listAt(entry, 'additionalValuesFiles')]
        .filter((file) => typeof file === 'string')
        .map((file) => join(folder, file)),
    )
}
