import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useConsoleData } from '../data/console-data.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Plain } from '../parts/plain.tsx'
import { Table } from '../parts/table.tsx'

const refetchMs = 2_000

/** How many runs wait and run, of those that the reader may list. */
export function Queues() {
  const { client } = useConsoleData()
  const { data, error } = useQuery({
    queryKey: ['queues'],
    queryFn: ({ signal }) => client.listQueues(signal),
    refetchInterval: refetchMs,
    retry: false,
  })
  return (
    <section aria-label="Queues">
      <h2>Queues</h2>
      {error !== null && <FailureNotice what="Not counted:" error={error} />}
      {data?.length === 0 && <p className="empty">No run that you may list waits or runs.</p>}
      {data !== undefined && data.length > 0 && (
        <Table
          label="Runs that wait and run"
          columns={['Kind', 'Namespace', 'Waiting', 'Running', 'Not reconciled yet']}
        >
          {data.map(({ kind, namespace, waiting, running, unreconciled }) => (
            <tr key={`${kind} ${namespace}`}>
              <td>
                <Link to="/runs" search={{ kind, namespace }}>
                  {kind}
                </Link>
              </td>
              <td>
                <Plain text={namespace} />
              </td>
              <td>{waiting.toLocaleString()}</td>
              <td>{running.toLocaleString()}</td>
              <td>{unreconciled.toLocaleString()}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
