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
} from './compat/baseline.ts'
import type { Finding } from './compat/chart-snapshot.ts'
import { at } from './compat/chart-snapshot.ts'
import { checkDecisions } from './compat/check-decisions.ts'
import { allFindings, compareCharts } from './compat/compare-charts.ts'
import { checkGateBehaviour, checkGateList, readFeatureGates } from './feature-gates.ts'
import { helmPath } from './helm-path.ts'
import { helmRenderer } from './render-chart.ts'

/**
 * chart-compat: is the chart safe to upgrade to, and to go back from? Compares it with every baseline and checks that optional templates are
 * off by default; exit 1 where something is wrong. `--write` keeps the chart as the baseline of its version: do that with a release.
 * Helm comes from HELM_BIN, or from npm.
 */

const { values: flags } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
const chart = join(import.meta.dirname, '..', '..', 'charts', 'agents')
const render = helmRenderer(await helmPath(process.env.HELM_BIN), chart)
const version = String(at(parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')), 'version'))

if (flags.write) await write()
else await check()

async function write(): Promise<void> {
  const profiles = await readProfiles(chart)
  const folder = join(chart, 'ci', 'baselines', version)
  await writeBaseline(folder, profiles, await takeSnapshot(chart, profiles, render))
  console.log(`wrote ${relative(process.cwd(), folder)}`)
}

async function check(): Promise<void> {
  const problems = [
    ...(await gateProblems()),
    ...(await baselineProblems()),
    ...(await compatProblems()),
  ]
  for (const problem of problems) console.log(problem)
  console.log(
    problems.length === 0 ? 'chart-compat: ok' : `chart-compat: ${problems.length} problems`,
  )
  process.exitCode = problems.length === 0 ? 0 : 1
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

/** The baseline of the version that is being worked on shows what every change does to the renders. */
async function baselineProblems(): Promise<readonly string[]> {
  const profiles = await readProfiles(chart)
  const folder = join(chart, 'ci', 'baselines', version)
  const outdated = await outdatedFiles(
    folder,
    profiles,
    await takeSnapshot(chart, profiles, render),
  )
  return outdated.map((file) => `ci/baselines/${version}/${file} is outdated: run with --write`)
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
