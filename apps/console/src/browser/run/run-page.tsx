import type { FoundRun, RunKey } from '@agents/client'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { RunApproval } from '../approvals/run-approval.tsx'
import { RunArtifacts } from '../artifacts/run-artifacts.tsx'
import { useRun } from '../data/use-run.ts'
import { EventList } from '../events/event-list.tsx'
import { GraphView } from '../graph/graph-view.tsx'
import { LogView, NoLog } from '../log/log-view.tsx'
import { LinkTabs } from '../parts/link-tabs.tsx'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { resourceOf } from '../parts/run-kinds.ts'
import { isFinished, type RunObject, runObject } from '../parts/run-object.ts'
import { usePageTitle } from '../parts/use-page-title.ts'
import { Referrers } from '../referrers/referrers.tsx'
import { RunActions } from './run-actions.tsx'
import { RunChecks } from './run-checks.tsx'
import type { RunView } from './run-page-search.ts'
import { RunSide } from './run-side.tsx'
import { RunTask } from './run-task.tsx'
import { RunTimeline } from './run-timeline.tsx'

const route = getRouteApi('/runs/$namespace/$name')
const YamlView = lazy(() => import('../yaml/yaml-view.tsx'))

export function RunPage() {
  const { namespace, name } = route.useParams()
  const { kind, uid } = route.useSearch()
  // Another run is another page: nothing of one may be seen on that of the other.
  return (
    <OneRun key={`${kind} ${namespace} ${name} ${uid}`} runKey={{ kind, namespace, name, uid }} />
  )
}

function OneRun({ runKey }: { readonly runKey: RunKey }) {
  usePageTitle(runKey.name)
  const { found, error, isDeleted } = useRun(runKey)
  return (
    <div className="page fill">
      <nav className="crumbs" aria-label="Where this is">
        <Link to="/runs">Runs</Link> <span aria-hidden="true">/</span>{' '}
        <Link to="/runs" search={{ namespace: runKey.namespace }}>
          <Plain text={runKey.namespace} />
        </Link>
      </nav>
      {isDeleted && <Notice tone="wait">This run has been deleted. This is its last state.</Notice>}
      {error !== null && <FailureNotice what="The run cannot be read:" error={error} />}
      {found === undefined && (
        <h1>
          <Plain text={runKey.name} />
        </h1>
      )}
      {found === undefined ? (
        error === null && <p className="empty">Loading…</p>
      ) : (
        <Loaded found={found} runKey={runKey} isDeleted={isDeleted} />
      )}
    </div>
  )
}

interface LoadedProps {
  readonly found: FoundRun
  readonly runKey: RunKey
  readonly isDeleted: boolean
}

function Loaded({ found, runKey, isDeleted }: LoadedProps) {
  const run = runObject(found.resource)
  const { kind, name, phase, archived = false } = found.run
  const hasLog = kind !== 'OrchestrationRun'
  // Output, artifacts and events are those of the cluster, where another run may have the name by now.
  const inCluster = !archived
  const { view = inCluster ? (hasLog ? 'log' : 'graph') : 'task' } = route.useSearch()
  return (
    <>
      <div className="page-head">
        <h1>
          <Plain text={name} />
        </h1>
        <Phase phase={phase} />
        <RunActions found={found} isFinished={isFinished(run)} isDeleted={isDeleted} />
      </div>
      {archived && (
        <Notice>The cluster no longer has this run. The archive keeps it as it was.</Notice>
      )}
      <Outcome run={run} found={found} />
      <RunApproval found={found} />
      <div className="run-columns">
        <RunSide run={run} found={found} />
        <section className="run-main" aria-label="Details of the run">
          <LinkTabs label="Views of the run" current={view} tabs={tabsOf(hasLog, inCluster)} />
          <RunViewOf view={view} run={run} found={found} runKey={{ ...runKey, kind }} />
        </section>
      </div>
    </>
  )
}

function tabsOf(hasLog: boolean, inCluster: boolean): readonly (readonly [RunView, string])[] {
  const always = [
    ['task', 'Task'],
    ['timeline', 'Timeline'],
    ['checks', 'Checks'],
    ['yaml', 'YAML'],
  ] as const
  const [task, timeline, checks, yaml] = always
  if (!inCluster)
    return hasLog ? [task, ['log', 'Log'], timeline, checks, yaml] : [['graph', 'Graph'], ...always]
  const seen = [['references', 'Referred to by'], ['events', 'Events'], yaml] as const
  return hasLog
    ? [['log', 'Log'], task, timeline, checks, ['artifacts', 'Artifacts'], ...seen]
    : [['graph', 'Graph'], task, timeline, checks, ...seen]
}

/** What came of it, and why: of a run that is not over, what it waits for. */
function Outcome({ run, found }: { readonly run: RunObject; readonly found: FoundRun }) {
  const { phase, reason, message } = found.run
  if (message === undefined || message === '') return null
  const tone = phase === 'Failed' ? 'bad' : phase === 'Pending' ? 'wait' : 'info'
  return (
    <p className={`outcome ${tone}`}>
      <strong>
        <Plain text={reason} />
      </strong>{' '}
      <Plain text={message} />
      {run.status.exitCode !== undefined && run.status.exitCode !== 0 && (
        <span className="tag">exit code {run.status.exitCode}</span>
      )}
    </p>
  )
}

interface ViewProps {
  readonly view: RunView
  readonly run: RunObject
  readonly found: FoundRun
  readonly runKey: RunKey
}

function RunViewOf({ view, run, found, runKey }: ViewProps) {
  const { line } = route.useSearch()
  if (found.run.archived && view === 'log') {
    return <NoLog why="the output of a run is deleted with the run. The archive keeps the rest" />
  }
  if (found.run.archived && ['artifacts', 'references', 'events'].includes(view)) {
    return <p className="empty">The archive does not keep this. See the task and the checks.</p>
  }
  if (view === 'task') return <RunTask run={run} />
  if (view === 'timeline') return <RunTimeline object={found.resource} />
  if (view === 'checks') return <RunChecks run={run} />
  if (view === 'artifacts') return <RunArtifacts found={found} />
  if (view === 'events' || view === 'references') {
    const { group, resource } = resourceOf(found.run.kind)
    const Shown = view === 'events' ? EventList : Referrers
    return <Shown kind={`${resource}.${group}`} objectKey={runKey} />
  }
  if (view === 'graph') return <GraphView found={found} isFinished={isFinished(run)} />
  if (view === 'yaml') {
    return (
      <Suspense fallback={<p className="empty">Loading…</p>}>
        <YamlView object={found.resource} />
      </Suspense>
    )
  }
  return <LogView runKey={runKey} isFinished={isFinished(run)} line={line} />
}
