import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { RenderChart } from '../helm/render-chart.ts'
import {
  at,
  type ChartSnapshot,
  identity,
  type RenderedObject,
  readManifest,
} from './chart-snapshot.ts'
import type { Decisions } from './compare-charts.ts'
import { baselineFolder, releasedDigests } from './released-baselines.ts'
import { overlayValues } from './values-files.ts'

/** The values that a chart is rendered with, by profile. */
export type Profiles = Readonly<Record<string, unknown>>

/** The profiles of ci/ that baselines contain; the values of the GitOps overlay are added as `overlay`. */
const baselineProfiles = [
  'default',
  'controllers',
  'ha',
  'multi-namespace',
  'cluster',
  'everything',
]

export async function readProfiles(chart: string): Promise<Profiles> {
  const entries = baselineProfiles.map(async (profile) => {
    const text = await readFile(join(chart, 'ci', `${profile}-values.yaml`), 'utf8')
    return [profile, parse(text)] as const
  })
  const overlay = join(chart, '..', '..', 'argocd', 'applications', 'agents')
  const [values = {}] = await overlayValues(join(overlay, 'kustomization.yaml'))
  return { ...Object.fromEntries(await Promise.all(entries)), overlay: values }
}

/** Renders the current chart with the profiles. */
export async function takeSnapshot(
  chart: string,
  profiles: Profiles,
  render: RenderChart,
): Promise<ChartSnapshot> {
  const rendered: Record<string, readonly RenderedObject[]> = {}
  for (const [profile, values] of Object.entries(profiles)) {
    rendered[profile] = readManifest(await render(values))
  }
  return { profiles: rendered, ...(await readDeclarations(chart)) }
}

/** The parts of a chart that need no rendering. */
export async function readDeclarations(chart: string): Promise<Omit<ChartSnapshot, 'profiles'>> {
  const definitions = await Promise.all(
    globSync(join(chart, 'crds', '*.yaml'))
      .sort()
      .map(async (path) => parse(await readFile(path, 'utf8')) as RenderedObject),
  )
  const valuesSchema = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8'))
  const variables = parse(await readFile(join(chart, 'ci', 'variables.yaml'), 'utf8'))
  return { definitions, valuesSchema, variables }
}

/**
 * Writes a snapshot to ci/baselines/<version>, small enough to be read in a diff. Throws if the version is released and
 * its baseline would change.
 */
export async function writeBaseline(
  chart: string,
  version: string,
  profiles: Profiles,
  snapshot: ChartSnapshot,
): Promise<void> {
  const folder = baselineFolder(chart, version)
  if ((await releasedDigests(chart))[version] !== undefined) {
    if ((await outdatedFiles(folder, profiles, snapshot)).length === 0) return
    throw new Error(
      `version ${version} is released and the chart has changed since: set a new version in Chart.yaml`,
    )
  }
  await mkdir(folder, { recursive: true })
  for (const [name, text] of baselineFiles(profiles, snapshot)) {
    await writeFile(join(folder, name), text)
  }
}

/** The files of a baseline that differ from a snapshot, or are missing. */
export async function outdatedFiles(
  folder: string,
  profiles: Profiles,
  snapshot: ChartSnapshot,
): Promise<readonly string[]> {
  const seen = baselineFiles(profiles, snapshot).map(async ([name, text]) => {
    const kept = await readFile(join(folder, name), 'utf8').catch(() => '')
    return kept === text ? [] : [name]
  })
  return (await Promise.all(seen)).flat()
}

function baselineFiles(
  profiles: Profiles,
  snapshot: ChartSnapshot,
): readonly (readonly [name: string, text: string])[] {
  const rendered = Object.entries(snapshot.profiles).map(([profile, objects]) => {
    const sorted = [...objects].sort((a, b) => (identity(a) < identity(b) ? -1 : 1))
    const documents = sorted.map((object) => stringify(object, { aliasDuplicateObjects: false }))
    return [`${profile}.yaml`, documents.join('---\n')] as const
  })
  const lines = snapshot.definitions.map((crd) => JSON.stringify(crd, withoutWords))
  return [
    ...rendered,
    ['profiles.yaml', stringify(profiles)],
    ['definitions.jsonl', `${lines.join('\n')}\n`],
    ['values-schema.json', `${JSON.stringify(snapshot.valuesSchema)}\n`],
    ['variables.yaml', stringify(snapshot.variables)],
  ]
}

/** Omits what no rule checks. A field may itself be called description. */
function withoutWords(this: unknown, key: string, value: unknown): unknown {
  return key === 'description' && typeof value === 'string' ? undefined : value
}

export interface Baseline {
  readonly version: string
  readonly profiles: Profiles
  readonly snapshot: ChartSnapshot
}

/** The baselines of all versions, oldest first. */
export async function readBaselines(chart: string): Promise<readonly Baseline[]> {
  const folders = globSync(join(chart, 'ci', 'baselines', '*'))
  const byVersion = new Intl.Collator('en', { numeric: true })
  return Promise.all(folders.sort(byVersion.compare).map(readBaseline))
}

async function readBaseline(folder: string): Promise<Baseline> {
  const text = (name: string) => readFile(join(folder, name), 'utf8')
  const profiles: Profiles = parse(await text('profiles.yaml'))
  const rendered = Object.keys(profiles).map(
    async (profile) => [profile, readManifest(await text(`${profile}.yaml`))] as const,
  )
  const definitions = (await text('definitions.jsonl')).trim().split('\n')
  return {
    version: basename(folder),
    profiles,
    snapshot: {
      profiles: Object.fromEntries(await Promise.all(rendered)),
      definitions: definitions.map((line) => JSON.parse(line)),
      valuesSchema: JSON.parse(await text('values-schema.json')),
      variables: parse(await text('variables.yaml')),
    },
  }
}

/** Reads the decisions in the files of the chart. */
export async function readDecisions(chart: string): Promise<Decisions> {
  const read = async (path: string): Promise<unknown> =>
    parse(await readFile(join(chart, path), 'utf8'))
  const gates = await read('ci/feature-gates.yaml')
  const defaults = at(gates, 'defaults') as readonly { readonly object: string }[]
  return {
    additions: defaults.map(({ object }) => object),
    removedValues: Object.keys((await read('files/removed-values.yaml')) as object),
    accepted: (await read('ci/accepted-changes.yaml')) as Decisions['accepted'],
  }
}
