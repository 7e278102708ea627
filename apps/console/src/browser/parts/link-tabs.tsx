import { Link } from '@tanstack/react-router'

/** Views of one page, each with an address of its own. */
export function LinkTabs({
  label,
  current,
  tabs,
}: {
  readonly label: string
  readonly current: string
  /** Value of `view` in the address, and text. */
  readonly tabs: readonly (readonly [view: string, text: string])[]
}) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([view, text]) => (
        <Link
          key={view}
          to="."
          search={withView(view)}
          aria-current={view === current ? 'page' : undefined}
          replace
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}

/** The rest of the address stays. The type is that of any page: each has views of its own. */
function withView(view: string): never {
  return ((search: Readonly<Record<string, unknown>>) => {
    const { line: _left, ...rest } = search
    return { ...rest, view }
  }) as never
}
