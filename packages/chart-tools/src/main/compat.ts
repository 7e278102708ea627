import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import {
  outdatedFiles,
  readBaselines,
  readDecisions,
  readProfiles,
  takeSnapshot,
  writeBaseline,
} from '../compat/baseline.ts'
import type { Finding } from '../compat/chart-snapshot.ts'
import { at } from '../compat/chart-snapshot.ts'
import { checkDecisions } from '../compat/check-decisions.ts'
import { allFindings, compareCharts } from '../compat/compare-charts.ts'
import {
  baselineFolder,
  changedReleases,
  markReleased,
  releasedDigests,
} from '../compat/released-baselines.ts'
import { checkGateBehaviour, checkGateList, readFeatureGates } from '../gates/feature-gates.ts'
import { helmPath } from '../helm/helm-path.ts'
import { helmRenderer } from '../helm/render-chart.ts'

/**
 * chart-compat: checks that upgrades to the chart and rollbacks from it are safe. Compares it with every baseline and
 * checks that optional templates are off by default; exits with 1 if there are problems. `--write` writes the baseline
 * of the current version, unless it is released; `--release` lists the version as released, if there are no problems.
 * Helm is that of HELM_BIN, or the one from npm.
 */

const { values: flags } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    release: { type: 'boolean', default: false },
  },
})
const chart = join(import.meta.dirname, '../../../../charts/agents')
const render = helmRenderer(await helmPath(process.env.HELM_BIN), chart)
const version = String(at(parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')), 'version'))

if (flags.write) await write()
else if (await check()) {
  if (flags.release) await markReleased(chart, version)
}

async function write(): Promise<void> {
  const profiles = await readProfiles(chart)
  try {
    await writeBaseline(chart, version, profiles, await takeSnapshot(chart, profiles, render))
    console.log(`wrote ${relative(process.cwd(), baselineFolder(chart, version))}`)
  } catch (error) {
    console.log(`chart-compat: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}

async function check(): Promise<boolean> {
  const problems = [
    ...(await changedReleases(chart)).map(
      (released) =>
        `ci/baselines/${released} differs from the released files: restore them from the commit of the release`,
    ),
    ...(await gateProblems()),
    ...(await baselineProblems()),
    ...(await compatProblems()),
  ]
  for (const problem of problems) console.log(problem)
  console.log(
    problems.length === 0 ? 'chart-compat: ok' : `chart-compat: ${problems.length} problems`,
  )
  process.exitCode = problems.length === 0 ? 0 : 1
  return problems.length === 0
}

async function gateProblems(): Promise<readonly string[]> {
  const gates = readFeatureGates(await readFile(join(chart, 'ci', 'feature-gates.yaml'), 'utf8'))
  const folder = join(chart, 'templates')
  const templates = globSync(join(folder, '**', '*.yaml'))
    .map((path) => relative(folder, path))
    .filter((file) => file !== 'requirements.yaml')
  const values: unknown = parse(await readFile(join(chart, 'values.yaml'), 'utf8'))
  return [...checkGateList(gates, templates, values), ...(await checkGateBehaviour(gates, render))]
}

/** The baseline of the current version must be up to date, so that each change shows its effect on the renders. */
async function baselineProblems(): Promise<readonly string[]> {
  const profiles = await readProfiles(chart)
  const folder = baselineFolder(chart, version)
  const outdated = await outdatedFiles(
    folder,
    profiles,
    await takeSnapshot(chart, profiles, render),
  )
  const isReleased = (await releasedDigests(chart))[version] !== undefined
  const advice = isReleased
    ? 'it is released, so set a new version in Chart.yaml'
    : 'run with --write'
  return outdated.map((file) => `ci/baselines/${version}/${file} is outdated: ${advice}`)
}

async function compatProblems(): Promise<readonly string[]> {
  const decisions = await readDecisions(chart)
  const problems: string[] = []
  const findings: Finding[] = []
  for (const { version: released, profiles, snapshot } of await readBaselines(chart)) {
    const now = await takeSnapshot(chart, profiles, render)
    findings.push(...allFindings(snapshot, now, decisions))
    for (const { rule, subject, problem } of compareCharts(snapshot, now, decisions)) {
      problems.push(`${rule} since ${released}: ${subject}: ${problem}`)
    }
  }
  const changelog = await readFile(join(chart, 'CHANGELOG.md'), 'utf8')
  return [...problems, ...checkDecisions(decisions.accepted, findings, changelog)]
}
