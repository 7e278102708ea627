import type { KindRecord } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useConsoleData } from '../data/console-data.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'

export function KindsPage() {
  usePageTitle('Kinds')
  const { client } = useConsoleData()
  const { data = [], error } = useQuery({
    queryKey: ['kinds'],
    queryFn: ({ signal }) => client.listKinds(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const groups = Map.groupBy(data, ({ group }) => group)
  return (
    <div className="page">
      <div className="page-head">
        <h1>Kinds</h1>
      </div>
      {error !== null && <FailureNotice what="The kinds cannot be listed:" error={error} />}
      <div className="kind-groups">
        {[...groups].map(([group, kinds]) => (
          <KindGroup key={group} group={group} kinds={kinds} />
        ))}
      </div>
    </div>
  )
}

function KindGroup({ group, kinds }: { group: string; kinds: readonly KindRecord[] }) {
  return (
    <section className="card">
      <h2>{group}</h2>
      <ul className="plain-list">
        {kinds.map(({ name, kind }) => (
          <li key={name}>
            <Link to="/kinds/$kind" params={{ kind: name }}>
              {kind}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
