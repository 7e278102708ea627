import type { ApiObject, FoundRun } from '@agents/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useConsoleData, useIsLive } from '../data/console-data.tsx'
import { Button } from '../parts/button.tsx'
import { ListFailure } from '../parts/list-failure.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Table } from '../parts/table.tsx'
import { isControlledBy } from './is-controlled-by.ts'
import { saveFile } from './save-file.ts'
import { sizeText } from './size-text.ts'

const artifactKind = 'artifacts.artifacts.proompteng.ai'
const refetchMs = 5_000

/** A longer name is shortened in the label: all artifacts of the namespace are asked for then. */
const longestLabel = 63

interface ArtifactObject {
  readonly spec?: {
    readonly source?: { readonly name?: string; readonly type?: string; readonly pod?: string }
  }
  readonly status?: { readonly phase?: string; readonly sizeBytes?: number }
}

/** The files that the run left, and its kept output. */
export function RunArtifacts({ found }: { readonly found: FoundRun }) {
  const { client } = useConsoleData()
  const isLive = useIsLive(artifactKind)
  const { kind, namespace, name, uid } = found.run
  const { data, error } = useQuery({
    queryKey: ['objects', artifactKind, 'of', kind, namespace, name, uid],
    queryFn: async ({ signal }) => {
      const label = kind === 'ToolRun' ? 'tool-run' : 'agent-run'
      const query = {
        namespace,
        limit: 500,
        ...(name.length <= longestLabel && {
          labelSelector: `agents.proompteng.ai/${label}=${name}`,
        }),
      }
      const { items } = await client.listObjects(artifactKind, query, signal)
      return items.filter((each) => isControlledBy(each, found.resource))
    },
    refetchInterval: isLive ? false : refetchMs,
    retry: false,
  })
  if (error !== null) return <ListFailure {...{ error, namespace }} kind={artifactKind} />
  if (data === undefined) return <p className="empty">Loading…</p>
  if (data.length === 0) return <p className="empty">The run has left no artifacts.</p>
  return (
    <Table label="Artifacts" columns={['State', 'File', 'Size', 'Content']}>
      {data.map((each) => (
        <ArtifactRow key={each.metadata.uid} artifact={each} />
      ))}
    </Table>
  )
}

function ArtifactRow({ artifact }: { readonly artifact: ApiObject }) {
  const { client } = useConsoleData()
  const { name, namespace = '' } = artifact.metadata
  const { spec, status } = artifact as ArtifactObject
  const file = spec?.source?.name ?? name
  const download = useMutation({
    mutationFn: async () => saveFile(await client.readArtifact({ namespace, name }), file),
  })
  const isThere = status?.phase === 'Ready'
  return (
    <tr>
      <td>
        <Phase phase={status?.phase ?? 'Pending'} />
      </td>
      <td>
        <Plain text={file} />
      </td>
      <td>{sizeText(status?.sizeBytes)}</td>
      <td>
        <Button
          label={`Download ${file}`}
          busy={download.isPending}
          obstacle={isThere ? undefined : 'its content is not in the store'}
          onClick={() => download.mutate()}
        >
          Download
        </Button>
        {download.error !== null && <FailureNotice what="Not downloaded:" error={download.error} />}
      </td>
    </tr>
  )
}
