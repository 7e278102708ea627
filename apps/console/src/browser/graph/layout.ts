/** A step of a graph, and those that it waits for. */
export interface GraphStep {
  readonly name: string
  readonly dependsOn: readonly string[]
}

export interface PlacedStep {
  readonly name: string
  /** From the left, 0 first. */
  readonly column: number
  /** From the top, 0 first. */
  readonly row: number
}

/** Places each step to the right of all that it waits for. */
export function placeSteps(steps: readonly GraphStep[]): readonly PlacedStep[] {
  const byName = new Map(steps.map((step) => [step.name, step]))
  const columns = new Map<string, number>()
  const columnOf = (name: string, path: ReadonlySet<string>): number => {
    const known = columns.get(name)
    if (known !== undefined) return known
    const before = (byName.get(name)?.dependsOn ?? [])
      // A graph with a circle is refused, but can be looked at.
      .filter((other) => byName.has(other) && !path.has(other))
      .map((other) => columnOf(other, new Set([...path, name])))
    const column = before.length === 0 ? 0 : Math.max(...before) + 1
    columns.set(name, column)
    return column
  }
  const rows = new Map<number, number>()
  return steps.map(({ name }) => {
    const column = columnOf(name, new Set([name]))
    const row = rows.get(column) ?? 0
    rows.set(column, row + 1)
    return { name, column, row }
  })
}
