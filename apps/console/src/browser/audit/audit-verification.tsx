import { useMutation } from '@tanstack/react-query'
import { useConsoleData } from '../data/console-data.tsx'
import { Button } from '../parts/button.tsx'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { Plain } from '../parts/plain.tsx'

/** Whether entries were changed, removed or moved. All are read for it, so that it is done on demand. */
export function AuditVerification() {
  const { client } = useConsoleData()
  const verify = useMutation({ mutationFn: () => client.verifyAudit() })
  const { data, error } = verify
  return (
    <div className="row">
      <Button busy={verify.isPending} onClick={() => verify.mutate()}>
        {verify.isPending ? 'Checking…' : 'Check that it is whole'}
      </Button>
      {error !== null && <FailureNotice what="Not checked:" error={error} />}
      {data !== undefined && (
        <Notice tone={data.ok ? 'info' : 'bad'}>
          {data.ok ? (
            <>
              {data.entries.toLocaleString()} entries fit together. The last:{' '}
              <code className="hash">{`${data.head.seq}:${data.head.hash}`}</code>
            </>
          ) : (
            <>
              <strong>Entry {data.entry} is wrong:</strong> <Plain text={data.problem} />
            </>
          )}
        </Notice>
      )}
    </div>
  )
}
