import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  at,
  type ChartSnapshot,
  compareCharts,
  helmRenderer,
  outdatedFiles,
  type Profiles,
  readBaselines,
  readDecisions,
  readProfiles,
  same,
  takeSnapshot,
  toolPath,
} from '@agents/chart-tools'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chart } from '../support/chart/render.ts'

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

test('each profile is rendered as the committed files of this version', async () => {
  expect(Object.keys(now.profiles).length).toBeGreaterThan(5)
  expect(
    await outdatedFiles(join(chart, 'ci', 'baselines', version), profiles, now),
    'what is rendered changed: see whether it is meant, then run npm run chart:compat -- --write',
  ).toEqual([])
})

test('upgrades from earlier versions and rollbacks to them stay compatible', {
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
