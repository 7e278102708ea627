import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  outdatedFiles,
  type Profiles,
  readBaselines,
  readDecisions,
  readProfiles,
  takeSnapshot,
} from '../../scripts/chart/compat/baseline.ts'
import { at, type ChartSnapshot, same } from '../../scripts/chart/compat/chart-snapshot.ts'
import { compareCharts } from '../../scripts/chart/compat/compare-charts.ts'
import { helmRenderer } from '../../scripts/chart/render-chart.ts'
import { toolPath } from '../tools/tool-path.ts'
import { chart } from './render.ts'

const timeout = 60_000
const version = String(at(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')), 'version'))

let profiles: Profiles
let now: ChartSnapshot

async function snapshotOf(values: Profiles): Promise<ChartSnapshot> {
  return takeSnapshot(chart, values, helmRenderer(await toolPath('helm', '4'), chart))
}

beforeAll(async () => {
  profiles = await readProfiles(chart)
  now = await snapshotOf(profiles)
}, timeout)

test('each profile is rendered as the files of this version have it', async () => {
  expect(Object.keys(now.profiles).length).toBeGreaterThan(5)
  expect(
    await outdatedFiles(join(chart, 'ci', 'baselines', version), profiles, now),
    'what is rendered changed: see whether it is meant, then run scripts/chart/compat.ts --write',
  ).toEqual([])
})

test('nobody who comes from an earlier version, or goes back to it, stumbles', {
  timeout,
}, async () => {
  const decisions = await readDecisions(chart)
  const baselines = await readBaselines(chart)
  expect(baselines.length).toBeGreaterThan(0)
  for (const { snapshot, profiles: asked } of baselines) {
    const answered = same(asked, profiles) ? now : await snapshotOf(asked)
    expect(compareCharts(snapshot, answered, decisions)).toEqual([])
  }
})
