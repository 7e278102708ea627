import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clock } from './durations.ts'
import type { SuiteResult } from './long-suites.ts'
import type { Tier } from './suites.ts'

/** Seconds of each suite, by tier: the last run that was recorded with `--record`. */
type RecordedDurations = Readonly<Record<Tier, Readonly<Record<string, number>>>>

const path = join(import.meta.dirname, 'durations.json')

export function readRecordedDurations(): RecordedDurations {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** Replaces what is recorded of the suites that have run. */
export function recordDurations(tier: Tier, results: readonly SuiteResult[]): void {
  const recorded = readRecordedDurations()
  const measured = results.flatMap(({ suite, duration, kept }) =>
    kept === undefined ? [[suite.name, Math.round(duration.seconds)] as const] : [],
  )
  const merged = { ...recorded[tier], ...Object.fromEntries(measured) }
  const sorted = Object.fromEntries(Object.entries(merged).toSorted())
  writeFileSync(path, `${JSON.stringify({ ...recorded, [tier]: sorted }, undefined, 2)}\n`)
}

/** What each suite took, beside what is recorded and what it may take. */
export function suiteTable(tier: Tier, results: readonly SuiteResult[]): string[] {
  const recorded = readRecordedDurations()[tier]
  const ran = results.filter(({ kept }) => kept === undefined)
  const sorted = ran.toSorted((a, b) => b.duration.seconds - a.duration.seconds)
  const rows = sorted.map(({ suite, duration }) => {
    const before = recorded[suite.name]
    const budget = tier === 'gate' ? clock(suite.budget ?? 0) : ''
    return [clock(duration.seconds), before === undefined ? '–' : clock(before), budget, suite.name]
  })
  const cached = results.length - ran.length
  return [
    ...(rows.length > 0 ? ['durations (now, recorded, budget):'] : []),
    ...rows.map(([now = '', before = '', budget = '', name = '']) =>
      `  ${now.padStart(6)} ${before.padStart(6)} ${budget.padStart(6)}  ${name}`.trimEnd(),
    ),
    ...(cached > 0 ? [`${cached} of ${results.length} suites cached`] : []),
  ]
}
