/** From a time, inclusive, to another, exclusive. Open where undefined. */
export interface TimeSpan {
  readonly from: string | undefined
  readonly before: string | undefined
  /** The month of the only partition that can have runs of the span: asked alone, it is planned faster. */
  readonly partition?: string | undefined
}

/**
 * Divides the time before `first` into spans of 1, 1, 3, 9, … months, the newest first, as far as `since`. Months are
 * those that have a partition, newest first, as `202611`.
 */
export function timeSpans(
  months: readonly string[],
  first: string | undefined,
  since: string | undefined,
): readonly TimeSpan[] {
  const wanted = months
    .map((month) => ({ month, start: `${month.slice(0, 4)}-${month.slice(4)}-01T00:00:00Z` }))
    .filter(({ start }) => first === undefined || start <= first)
  const last = wanted.findIndex(({ start }) => since !== undefined && start <= since)
  const used = last === -1 ? wanted : wanted.slice(0, last + 1)
  const spans: TimeSpan[] = []
  let size = 1
  for (let at = 0; at < used.length; ) {
    const span = used.slice(at, at + size)
    spans.push({
      from: span.at(-1)?.start,
      before: spans.at(-1)?.from,
      partition: span.length === 1 ? span[0]?.month : undefined,
    })
    // The newest month may have just begun: the one before stays alone too.
    if (at > 0) size *= 3
    at += span.length
  }
  return spans
}
