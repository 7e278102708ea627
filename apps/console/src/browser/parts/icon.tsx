const paths = {
  succeeded: 'M4.5 8.3 7 10.8l4.5-5.3',
  failed: 'm5.2 5.2 5.6 5.6m0-5.6-5.6 5.6',
  cancelled: 'M5 8h6',
  pending: 'M8 4.8V8l2.2 1.6',
  running: 'M6.6 5.2 11 8l-4.4 2.8z',
  overview: 'M2.5 8.5 8 3l5.5 5.5M4 7.5V13h8V7.5',
  runs: 'M3 4h10M3 8h10M3 12h6',
  plus: 'M8 3.5v9M3.5 8h9',
  kinds: 'M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z',
  budgets: 'M3 13V8M8 13V3M13 13V6',
  mirrors: 'M5 2.5v11M5 6.5h3.5A2.5 2.5 0 0 0 11 4v-.5M3.5 2.5h3M3.5 13.5h3M9.5 3.5h3',
  inbox: 'M2.5 8.5 4.5 3h7l2 5.5V13h-11zM2.5 8.5H6l1 2h2l1-2h3.5',
  audit: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2',
  cluster: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zm3.6-1.4L14 14',
  copy: 'M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  moon: 'M13 9.5A5.5 5.5 0 1 1 6.5 3 4.4 4.4 0 0 0 13 9.5z',
  keyboard: 'M1.5 4h13v8h-13zM4 7h.01M6.7 7h.01M9.3 7h.01M12 7h.01M5 9.7h6',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  graph: 'M3 3h3v3H3zM10 3h3v3h-3zM6.5 10h3v3h-3zM6 4.5h4M4.5 6l3 4M11.5 6l-3 4',
} as const

export type IconName = keyof typeof paths

export const iconNames = Object.keys(paths) as readonly IconName[]

/** A picture beside a text; screen readers skip it. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
