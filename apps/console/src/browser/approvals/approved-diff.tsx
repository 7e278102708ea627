import type { ApiObject } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'
import { type Comparison, compareWithLast } from './last-approved.ts'
import { type DiffLine, lineDiff } from './line-diff.ts'

/** What a request would run that the last approved one did not. */
// biome-ignore lint/style/noDefaultExport: React loads it when it is first shown.
export default function ApprovedDiff({ request }: { readonly request: ApiObject }) {
  const { client } = useConsoleData()
  const { data, error } = useQuery({
    queryKey: ['last approved', request.metadata.uid],
    queryFn: ({ signal }) => compareWithLast(client, request, signal),
    staleTime: 60_000,
    retry: false,
  })
  if (error !== null) return <FailureNotice what="It cannot be compared:" error={error} />
  if (data === undefined) return <p className="quiet">Loading…</p>
  const { last, parts } = data
  if (last === undefined) {
    return (
      <p className="quiet">
        Nothing of this kind that you may read was approved before: all of it is new.
      </p>
    )
  }
  return (
    <>
      <p className="quiet">
        Compared with <Plain text={last.run} />, approved <Ago at={last.at} />
        {last.by !== '' && (
          <>
            {' '}
            by <Plain text={last.by} />
          </>
        )}
        .{last.isArchived && ' Its request is gone: the values that its step showed are not known.'}
      </p>
      {parts.length === 0 && <p className="quiet">You may not read what ran then.</p>}
      {parts.map((part) => (
        <PartDiff key={part.title} part={part} />
      ))}
    </>
  )
}

const marks = { same: ' ', added: '+', removed: '−' } as const

function PartDiff({ part: { title, before, after } }: { part: Comparison['parts'][number] }) {
  const lines = useMemo(() => lineDiff(before, after), [before, after])
  if (lines.length === 0) return <p className="quiet">{title}: nothing changed.</p>
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="diff" tabIndex={0} aria-label={`Changes: ${title}`}>
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its position.
          <DiffRow key={at} line={line} />
        ))}
      </section>
    </>
  )
}

function DiffRow({ line }: { readonly line: DiffLine }) {
  if (line.kind === 'skipped') {
    const { count } = line
    return <div className="skipped">{count === 1 ? '1 equal line' : `${count} equal lines`}</div>
  }
  const Tag = line.kind === 'added' ? 'ins' : line.kind === 'removed' ? 'del' : 'div'
  return (
    <Tag className={line.kind}>
      {marks[line.kind]} <Plain text={line.text} />
    </Tag>
  )
}
