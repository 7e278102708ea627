import type { Cost, Costs } from './measure.ts'

/** The median cost of each write: one line for each write, one column for each series that has it. */
export function costTable(costs: Costs): string {
  return [
    tableOf('CPU ms per write', costs, ({ cpuMs }) => cpuMs, 2),
    tableOf('KiB allocated per write', costs, ({ allocatedKib }) => allocatedKib, 0),
  ].join('\n')
}

function tableOf(
  title: string,
  costs: Costs,
  figureOf: (cost: Cost) => number,
  digits: number,
): string {
  const series = [...costs.keys()]
  const names = [...new Set([...costs.values()].flatMap((writes) => [...writes.keys()]))]
  const rows = names.map((name) => [
    name,
    ...series.map((one) => {
      const rounds = costs.get(one)?.get(name)
      return rounds === undefined ? '' : median(rounds.map(figureOf)).toFixed(digits)
    }),
  ])
  const lines = [[title, ...series], ...rows]
  const widths = (lines[0] ?? []).map((_, at) =>
    Math.max(...lines.map((line) => (line[at] ?? '').length)),
  )
  return lines
    .map((line) => `  ${line.map((cell, at) => pad(cell, at, widths)).join('  ')}`.trimEnd())
    .join('\n')
}

function pad(cell: string, at: number, widths: readonly number[]): string {
  const width = widths[at] ?? 0
  return at === 0 ? cell.padEnd(width) : cell.padStart(width)
}

/** The mean of the two middle values if their number is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return (low + high) / 2
}
