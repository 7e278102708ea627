import type { ApiObject } from '@agents/client'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useObjects } from '../data/use-objects.ts'
import { byNamespace, Filters } from '../parts/filters.tsx'
import { ListFailure } from '../parts/list-failure.tsx'
import { objectState } from '../parts/object-state.ts'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { targetKind } from './mirror-object.ts'
import { MirrorState } from './mirror-state.tsx'

const route = getRouteApi('/mirrors')

/** GitTargets: how far each is, and what it wrote last. */
export function MirrorsPage() {
  usePageTitle('Mirrors')
  const search = route.useSearch()
  const { namespace } = search
  const navigate = useNavigate({ from: '/mirrors' })
  const { objects, error } = useObjects(targetKind, namespace)
  return (
    <div className="page">
      <div className="page-head">
        <h1>Mirrors</h1>
        {objects !== undefined && <span className="count">{objects.length}</span>}
      </div>
      <Filters
        fields={byNamespace}
        values={search}
        onValues={(next) => void navigate({ search: next, replace: true })}
      />
      <ListFailure error={error} kind={targetKind} namespace={namespace} />
      {objects?.length === 0 && (
        <p className="empty">
          Nothing is mirrored to Git. A GitTarget does that; locally:{' '}
          <code>npm start -- --mirror record.git</code>
        </p>
      )}
      {objects?.map((target) => (
        <MirrorCard key={target.metadata.uid} target={target} />
      ))}
    </div>
  )
}

function MirrorCard({ target }: { readonly target: ApiObject }) {
  const { name, namespace = '' } = target.metadata
  const { phase, message } = objectState(target)
  return (
    <article className="card" aria-label={`GitTarget ${name}`}>
      <div className="section-head">
        <h2>
          <Link to="/kinds/$kind/$namespace/$name" params={{ kind: targetKind, namespace, name }}>
            <Plain text={`${namespace} / ${name}`} />
          </Link>
        </h2>
        <Phase phase={phase} />
      </div>
      {phase !== 'RUNNING' && (
        <p className="quiet">
          <Plain text={message} />
        </p>
      )}
      <MirrorState target={target} />
    </article>
  )
}
