import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changedReleases, markReleased, readBaselines, writeBaseline } from '@agents/chart-tools'
import { expect, onTestFinished, test } from 'vitest'
import { chart } from '../support/chart/render.ts'
import { container, inProfile } from './compat-changes.ts'

const baseline = 'ci/baselines/0.9.1/controllers.yaml'
const renamed = inProfile('Deployment', [...container, 'ports', 0, 'name'], 'web', 'agents')

/** A copy of the files that releases are compared by, in which no version is released. */
async function copiedChart(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-released-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'ci'))
  await cp(join(chart, 'ci', 'baselines'), join(folder, 'ci', 'baselines'), { recursive: true })
  await writeFile(join(folder, 'ci', 'released.yaml'), '# Released versions.\n{}\n')
  return folder
}

async function firstBaseline(folder: string) {
  const [first] = await readBaselines(folder)
  if (first === undefined) throw new Error('no baseline found')
  return first
}

test('the baseline of a version that is not released follows the chart', async () => {
  const copy = await copiedChart()
  const { version, profiles, snapshot } = await firstBaseline(copy)
  await writeBaseline(copy, version, profiles, renamed(snapshot))
  expect(await readFile(join(copy, baseline), 'utf8')).toContain('name: web')
  expect(await changedReleases(copy)).toEqual([])
})

test('the baseline of a released version cannot be overwritten', async () => {
  const copy = await copiedChart()
  const { version, profiles, snapshot } = await firstBaseline(copy)
  await markReleased(copy, version)
  const kept = await readFile(join(copy, baseline), 'utf8')
  await writeBaseline(copy, version, profiles, snapshot)
  await expect(writeBaseline(copy, version, profiles, renamed(snapshot))).rejects.toThrow(
    `version ${version} is released and the chart has changed since: set a new version`,
  )
  expect(await readFile(join(copy, baseline), 'utf8')).toBe(kept)
  expect(await changedReleases(copy)).toEqual([])
})

test('an edited or deleted baseline of a released version is found', async () => {
  const copy = await copiedChart()
  await markReleased(copy, '0.9.1')
  const kept = await readFile(join(copy, baseline), 'utf8')
  await writeFile(join(copy, baseline), kept.replace('name: http', 'name: web'))
  // Marking it again does not accept what was changed.
  await markReleased(copy, '0.9.1')
  expect(await changedReleases(copy)).toEqual(['0.9.1'])
  await rm(join(copy, 'ci', 'baselines', '0.9.1'), { recursive: true })
  expect(await changedReleases(copy)).toEqual(['0.9.1'])
})

test('the baselines of the released versions of this chart are unchanged', async () => {
  expect(await changedReleases(chart)).toEqual([])
})
