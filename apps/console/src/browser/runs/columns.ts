/** A column of the list of runs. */
export interface Column {
  readonly name: string
  /** Also the class of its cells. */
  readonly id: string
  /** As in `grid-template-columns`. */
  readonly width: string
}

/** In the order in which they are shown. The name leads to the run and is always there. */
export const columns = [
  { name: 'Phase', id: 'phase', width: '116px' },
  { name: 'Name', id: 'name', width: 'minmax(150px, 1.6fr)' },
  { name: 'Runs', id: 'runs', width: 'minmax(100px, 1fr)' },
  { name: 'Kind', id: 'kind', width: '120px' },
  { name: 'Namespace', id: 'namespace', width: 'minmax(80px, 0.7fr)' },
  { name: 'Labels', id: 'labels', width: 'minmax(100px, 1.2fr)' },
  { name: 'Created', id: 'created', width: '76px' },
  { name: 'Started', id: 'started', width: '76px' },
  { name: 'Finished', id: 'finished', width: '76px' },
  { name: 'Took', id: 'took', width: '76px' },
  { name: 'Reason', id: 'reason', width: 'minmax(80px, 0.8fr)' },
  { name: 'Why', id: 'why', width: 'minmax(0, 2.4fr)' },
] as const satisfies readonly Column[]

export type ColumnId = (typeof columns)[number]['id']

export const usual: readonly ColumnId[] = [
  ...(['phase', 'name', 'runs', 'namespace', 'created', 'took', 'why'] as const),
]

/** Reads what an earlier version of the page may have stored, or anybody. */
export function readColumns(text: string): readonly ColumnId[] {
  const names = new Set(text.split(','))
  const known = columns.map(({ id }) => id).filter((id) => id === 'name' || names.has(id))
  return text === '' ? usual : known
}

/** The widths of the columns after that of the checkbox. */
export function gridOf(ids: readonly ColumnId[]): string {
  const widths = columns.flatMap(({ id, width }) => (ids.includes(id) ? [width] : []))
  return ['16px', ...widths].join(' ')
}
