import { ApiFailure, type KindRecord } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useConsoleData, useStreamState } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { Facts } from '../parts/facts.tsx'
import { Filters } from '../parts/filters.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Table } from '../parts/table.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { useSession } from '../session/session-gate.tsx'
import { Findings } from './findings.tsx'
import { Queues } from './queues.tsx'

const route = getRouteApi('/cluster')

const refetchMs = 5_000

/** Whether the platform is well, what waits, which kinds the cluster has, and what the reader may do with them. */
export function ClusterPage() {
  usePageTitle('Cluster')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/cluster' })
  const { client } = useConsoleData()
  const { data: kinds = [], error } = useQuery({
    queryKey: ['kinds'],
    queryFn: ({ signal }) => client.listKinds(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <div className="page">
      <div className="page-head">
        <h1>Cluster</h1>
      </div>
      <div className="overview">
        <ControlPlane />
        <You />
      </div>
      <Filters
        label="Namespace of the checks"
        fields={[{ name: 'namespace', label: 'Namespace', placeholder: 'agents' }]}
        values={search}
        onValues={(next) => void navigate({ search: next, replace: true })}
      />
      <Findings namespace={search.namespace} />
      <Queues />
      {error !== null && <FailureNotice what="The kinds cannot be listed:" error={error} />}
      {kinds.length > 0 && <Kinds kinds={kinds} />}
    </div>
  )
}

function ControlPlane() {
  const { client } = useConsoleData()
  const { state } = useStreamState()
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => client.readHealth(signal),
    refetchInterval: refetchMs,
    retry: false,
  })
  const version = useQuery({
    queryKey: ['version'],
    queryFn: ({ signal }) => client.readVersion(signal),
  })
  const { data } = health
  return (
    <section className="card" aria-label="Control plane">
      <div className="section-head">
        <h2>Control plane</h2>
        {data !== undefined && <Phase phase={data.ok ? 'Ready' : 'Failed'} />}
      </div>
      {health.error !== null && <FailureNotice what="Not reached:" error={health.error} />}
      <Facts
        items={[
          ['Version', version.data && <Plain key="version" text={version.data} />],
          ['Changes', state === 'live' ? 'arrive live' : 'do not arrive now'],
          ...(data?.checks ?? []).map(
            ({ name, ok }) => [`Check ${name}`, ok ? 'passed' : 'failed'] as const,
          ),
        ]}
      />
    </section>
  )
}

function You() {
  const { who } = useSession()
  return (
    <section className="card" aria-label="You">
      <h2>You</h2>
      <Facts
        items={[
          ['Name', <Plain key="name" text={who.user.username} />],
          ['Groups', <Plain key="groups" text={who.user.groups.join(', ')} />],
        ]}
      />
    </section>
  )
}

const verbs = ['list', 'create', 'patch', 'delete'] as const

function Kinds({ kinds }: { readonly kinds: readonly KindRecord[] }) {
  // As many questions as one request may have.
  const access = useAccess(
    kinds
      .slice(0, 25)
      .flatMap(({ group, plural }) => verbs.map((verb) => ({ verb, group, resource: plural }))),
  )
  const installed = useInstalled(kinds)
  return (
    <Table
      label="Kinds and rights"
      columns={['Kind', 'Group and version', 'In the cluster', 'What you may do in all namespaces']}
    >
      {kinds.map(({ name, kind, group, version }, index) => (
        <tr key={name}>
          <td>
            <Link to="/kinds/$kind" params={{ kind: name }}>
              {kind}
            </Link>
          </td>
          <td>{`${group}/${version}`}</td>
          <td>{installed.get(name) ?? '…'}</td>
          <td>{rightsText(access.slice(index * verbs.length, (index + 1) * verbs.length))}</td>
        </tr>
      ))}
    </Table>
  )
}

function rightsText(access: ReturnType<typeof useAccess>): string {
  if (access.length === 0 || access.includes(undefined)) return '…'
  const allowed = verbs.filter((_verb, index) => access[index]?.allowed === true)
  return allowed.length === 0 ? 'nothing' : allowed.join(', ')
}

/** What the cluster answers to whoever lists each kind: a definition that is missing is not found. */
function useInstalled(kinds: readonly KindRecord[]): ReadonlyMap<string, string> {
  const { client } = useConsoleData()
  const { data } = useQuery({
    queryKey: ['installed', kinds.map(({ name }) => name)],
    queryFn: async ({ signal }) => {
      const answers = kinds.map(async ({ name }) => {
        const answer = await client.listObjects(name, { limit: 1 }, signal).then(
          ({ items }) => (items.length > 0 ? 'yes, with objects' : 'yes, empty'),
          (error: unknown) => absence(error),
        )
        return [name, answer] as const
      })
      return new Map(await Promise.all(answers))
    },
  })
  return data ?? new Map()
}

function absence(error: unknown): string {
  const status = error instanceof ApiFailure ? error.status : undefined
  if (status === 404) return 'no: its definition is missing'
  return status === 403 ? 'not known: you may not list it' : 'not known'
}
