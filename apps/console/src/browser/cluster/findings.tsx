import type { Finding } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { useConsoleData } from '../data/console-data.tsx'
import { Button } from '../parts/button.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'

/** The checks ask the cluster many questions. */
const refetchMs = 60_000

const phases = { good: 'Ready', doubtful: 'Unknown', bad: 'Failed' } as const

/** What `agentctl doctor` finds, with the rights of the reader. */
export function Findings({ namespace }: { readonly namespace: string | undefined }) {
  const { client } = useConsoleData()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['findings', namespace ?? ''],
    queryFn: ({ signal }) => client.examinePlatform(namespace, signal),
    refetchInterval: refetchMs,
    retry: false,
  })
  return (
    <section aria-label="Checks">
      <div className="section-head">
        <h2>Checks</h2>
        <Button busy={isFetching} onClick={() => void refetch()}>
          Check again
        </Button>
      </div>
      {error !== null && <FailureNotice what="Not checked:" error={error} />}
      {data === undefined && error === null && <p className="empty">Checking…</p>}
      <ol className="checks">
        {data?.map((each) => (
          <FindingRow key={each.about} {...each} />
        ))}
      </ol>
    </section>
  )
}

function FindingRow({ about, verdict, says, advice = [] }: Finding) {
  return (
    <li className="check">
      <Phase phase={phases[verdict]} />
      <div>
        <strong>
          <Plain text={about} />
        </strong>
        <p>
          <Plain text={says} />
        </p>
        {advice.map((line) => (
          <p key={line} className="quiet">
            <Plain text={line} />
          </p>
        ))}
      </div>
    </li>
  )
}
