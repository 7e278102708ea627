import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useRef } from 'react'
import { useRuns } from '../data/use-runs.ts'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { BulkCancel } from './bulk-cancel.tsx'
import { ColumnChoice } from './column-choice.tsx'
import { RunFilters } from './run-filters.tsx'
import { RunList } from './run-list.tsx'
import { filterOf } from './run-search.ts'
import { useSelection } from './use-selection.ts'

const route = getRouteApi('/runs')

export function RunsPage() {
  usePageTitle('Runs')
  const search = route.useSearch()
  const filter = useMemo(() => filterOf(search), [search])
  const { runs, isLoading, error, hasMore, isLoadingMore, loadMore, ...rest } = useRuns(filter)
  const { selected, chosen, toggle, clear } = useSelection(runs)
  const isBusy = useRef(false)
  isBusy.current = isLoadingMore
  const load = useCallback(() => {
    if (!isBusy.current) loadMore()
  }, [loadMore])
  return (
    <div className="page fill">
      <div className="page-head">
        <h1>Runs</h1>
        <span className="count" role="status">
          {isLoading ? 'loading' : `${runs.length.toLocaleString()}${hasMore ? '+' : ''}`}
        </span>
        <div className="actions">
          <ColumnChoice />
        </div>
      </div>
      <RunFilters search={search} />
      {error !== null && <FailureNotice what="The runs cannot be listed:" error={error} />}
      {rest.isArchiveAway && (
        <Notice tone="wait">
          The archive does not answer: only runs in the cluster are shown.
        </Notice>
      )}
      <BulkCancel runs={chosen} onClear={clear} />
      {!isLoading && runs.length === 0 && error === null ? (
        <p className="empty">
          {Object.keys(search).length > 0
            ? 'No run that you may list matches these filters.'
            : 'There is no run that you may list. Start one with: agentctl run --agent NAME --text "…"'}
        </p>
      ) : (
        <RunList {...{ runs, hasMore, selected }} loadMore={load} onSelect={toggle} />
      )}
    </div>
  )
}
