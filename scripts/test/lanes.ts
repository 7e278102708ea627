/** Something that `runInLanes` runs. */
interface LaneItem {
  /** Whether nothing else may run at the same time. */
  readonly alone?: boolean
}

/**
 * Runs the items in their order, as many at a time as there are lanes; then those that must run alone, one after the
 * other.
 */
export async function runInLanes<Item extends LaneItem>(
  items: readonly Item[],
  lanes: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.filter(({ alone }) => alone !== true)
  async function runLane(): Promise<void> {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: lanes }, runLane))
  for (const item of items) if (item.alone === true) await run(item)
}
