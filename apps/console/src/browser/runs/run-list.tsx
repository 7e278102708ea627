import type { RunSummary } from '@agents/client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { type ColumnId, columns, gridOf, usual } from './columns.ts'
import { type PlacedRow, placeRows } from './place-rows.ts'
import { RunCells } from './run-cells.tsx'
import { useColumns } from './use-columns.ts'
import { useIsNarrow } from './use-is-narrow.ts'

/** Longer than between two turns of a wheel: each rest may move all rows in the document. */
const restMs = 500

interface RunListProps {
  readonly runs: readonly RunSummary[]
  readonly hasMore: boolean
  readonly loadMore: () => void
  /** The uids of the runs that are selected. */
  readonly selected: ReadonlySet<string>
  readonly onSelect: (run: RunSummary) => void
}

/** Any number of runs: only the rows on screen exist. */
export function RunList({ runs, hasMore, loadMore, selected, onSelect }: RunListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow()
  const rowHeight = isNarrow ? 58 : 34
  const wanted = useColumns()
  // Narrow pages have two lines for each run, where the style sheet places these.
  const chosen = isNarrow ? usual : wanted
  const grid = isNarrow ? undefined : gridOf(chosen)
  const virtualizer = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // With another function, all runs are measured again, however many there are.
    getItemKey: useCallback((index: number) => runs[index]?.uid ?? index, [runs]),
    overscan: 12,
    isScrollingResetDelay: restMs,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer has to forget the old height of rows.
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  const items = virtualizer.getVirtualItems()
  const shown = new Map(items.map((item) => [String(item.key), item]))
  const rows = useRef<readonly PlacedRow[]>([])
  rows.current = placeRows(rows.current, [...shown.keys()], !virtualizer.isScrolling)
  const lastIndex = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lastIndex >= runs.length - 60) loadMore()
  }, [hasMore, lastIndex, runs.length, loadMore])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys move between the links inside.
    <div
      ref={scroller}
      className="list"
      onPointerEnter={() => void import('../run/run-page.tsx')}
      onKeyDown={(event) => {
        if (!toggleRow(event, runs, onSelect)) {
          moveFocus(event, (index) => virtualizer.scrollToIndex(index))
        }
      }}
    >
      <table aria-label="Runs" aria-rowcount={hasMore ? -1 : runs.length + 1}>
        <thead className="list-head">
          <tr aria-rowindex={1} className="run-row" style={{ gridTemplateColumns: grid }}>
            <th scope="col" className="cell select">
              <span className="unseen">Selected</span>
            </th>
            {columns
              .filter(({ id }) => chosen.includes(id))
              .map(({ name, id }) => (
                <th key={id} scope="col" className={`cell ${id}`}>
                  {name}
                </th>
              ))}
          </tr>
        </thead>
        <tbody className="list-body" style={{ height: virtualizer.getTotalSize() }}>
          {rows.current.map(({ element, item }) => {
            const place = shown.get(item)
            const run = place === undefined ? undefined : runs[place.index]
            if (place === undefined || run === undefined) return null
            const { index, start, size } = place
            return (
              <RunRow
                key={element}
                {...{ run, index, start, size, onSelect, chosen, grid }}
                isSelected={selected.has(run.uid)}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

interface RunRowProps {
  readonly run: RunSummary
  readonly index: number
  readonly start: number
  readonly size: number
  readonly isSelected: boolean
  readonly onSelect: (run: RunSummary) => void
  readonly chosen: readonly ColumnId[]
  /** The widths of the columns, if they are not those of the style sheet. */
  readonly grid: string | undefined
}

/** Rows stay as they are while the list is scrolled, until they show another run. */
const RunRow = memo(function RunRow(props: RunRowProps) {
  const { run, index, start, size, isSelected, onSelect, chosen, grid } = props
  const row = useRef<HTMLTableRowElement>(null)
  const uid = useRef(run.uid)
  useLayoutEffect(() => {
    const { activeElement } = document
    // Who pressed Enter would open, and who pressed `x` select, a run that was not there before.
    const isOther = uid.current !== run.uid
    uid.current = run.uid
    if (isOther && row.current?.contains(activeElement)) (activeElement as HTMLElement).blur()
  }, [run.uid])
  return (
    <tr
      ref={row}
      aria-rowindex={index + 2}
      data-index={index}
      className="run-row"
      style={{ height: size, transform: `translateY(${start}px)`, gridTemplateColumns: grid }}
    >
      <td className="cell select">
        <input
          type="checkbox"
          aria-label={`Select ${run.name}`}
          checked={isSelected}
          onChange={() => onSelect(run)}
        />
      </td>
      <RunCells run={run} chosen={chosen} />
    </tr>
  )
})

/** `x` selects the row that has the focus. */
function toggleRow(
  event: KeyboardEvent,
  runs: readonly RunSummary[],
  onSelect: (run: RunSummary) => void,
): boolean {
  if (event.key !== 'x' || event.ctrlKey || event.metaKey || event.altKey) return false
  const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
  const run = row === null ? undefined : runs[Number(row.dataset.index)]
  if (run !== undefined) onSelect(run)
  return run !== undefined
}

/** `j` and `k`, or the arrows, move between the links of rows. */
function moveFocus(event: KeyboardEvent, scrollTo: (index: number) => void): void {
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
  const list = event.currentTarget
  const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
  const index = row === null ? 0 : Number(row.dataset.index) + step
  event.preventDefault()
  scrollTo(index)
  requestAnimationFrame(() => {
    list.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus()
  })
}
