import type { ApiObject } from '@agents/client'
import { useMemo } from 'react'
import { useNow } from '../parts/now.ts'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Table } from '../parts/table.tsx'
import { Duration } from '../parts/time.tsx'
import { exactText } from '../parts/time-text.ts'
import { barOf, type TimelineRow, timelineOf } from './timeline.ts'

/** When the run passed its gates, and how long its steps and their attempts took. */
export function RunTimeline({ object }: { readonly object: ApiObject }) {
  const now = useNow()
  const rows = useMemo(() => timelineOf(object), [object])
  const times = rows.flatMap(({ from, to }) => [from, to].flatMap((text) => timeOf(text) ?? []))
  if (times.length === 0) return <p className="empty">Nothing has happened yet.</p>
  const isOver = rows.every(({ from, to }) => from === undefined || to !== undefined)
  const whole = [Math.min(...times), isOver ? Math.max(...times) : now] as const
  return (
    <Table label="Timeline" columns={['What', 'State', 'Took', 'When']} className="run-timeline">
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attempts of steps have the same names.
        <TimelineLine key={at} row={row} whole={whole} />
      ))}
    </Table>
  )
}

interface TimelineLineProps {
  readonly row: TimelineRow
  readonly whole: readonly [number, number]
}

function TimelineLine({ row, whole }: TimelineLineProps) {
  const { name, depth, phase, from, to, note } = row
  const { left, width } = barOf(row, whole)
  const begun = timeOf(from)
  return (
    <tr>
      <th scope="row" className={depth === 0 ? undefined : 'inner'}>
        <Plain text={name} />
      </th>
      <td>
        <Phase phase={phase} />
      </td>
      <td>{from !== undefined && <Duration from={from} to={to} />}</td>
      <td className="bar-cell" title={note}>
        <span className="unseen">{begun === undefined ? '' : `from ${exactText(begun)}`}</span>
        <div
          className={to === undefined ? 'bar open' : 'bar'}
          style={{ marginLeft: `${left}%`, width: `${width}%` }}
        />
        {note !== undefined && note !== '' && (
          <p className="quiet">
            <Plain text={note} />
          </p>
        )}
      </td>
    </tr>
  )
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : time
}
