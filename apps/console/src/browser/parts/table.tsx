import type { ReactNode } from 'react'

interface TableProps {
  /** The accessible name of the box. */
  readonly label: string
  readonly columns: readonly string[]
  readonly className?: string
  /** The rows. */
  readonly children: ReactNode
}

/** A table that scrolls sideways where it does not fit. */
export function Table({ label, columns, className, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-box" aria-label={label} tabIndex={0}>
      <table className={className === undefined ? 'table' : `table ${className}`}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}
