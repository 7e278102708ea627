import type { ApiObject } from '@agents/client'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useObjects } from '../data/use-objects.ts'
import { ListFailure } from '../parts/list-failure.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { TypedFilter } from '../parts/typed-filter.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { objectState } from '../run/object-state.ts'
import { targetKind } from './mirror-object.ts'
import { MirrorState } from './mirror-state.tsx'

const route = getRouteApi('/mirrors')

/** GitTargets: how far each is, and what it wrote last. */
export function MirrorsPage() {
  usePageTitle('Mirrors')
  const { namespace } = route.useSearch()
  const navigate = useNavigate({ from: '/mirrors' })
  const filter = useCallback(
    (value: string) =>
      void navigate({ search: value === '' ? {} : { namespace: value }, replace: true }),
    [navigate],
  )
  const { objects, error } = useObjects(targetKind, namespace)
  return (
    <div className="page">
      <div className="page-head">
        <h1>Mirrors</h1>
        {objects !== undefined && <span className="count">{objects.length}</span>}
      </div>
      <search className="filters" aria-label="Filters of the list" data-search>
        <TypedFilter label="Namespace" placeholder="all" value={namespace} onChange={filter} />
      </search>
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
