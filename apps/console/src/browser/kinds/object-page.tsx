import type { ApiObject } from '@agents/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAskAgain } from '../data/ask-again.ts'
import { useConsoleData } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { EventList } from '../events/event-list.tsx'
import { targetKind } from '../mirrors/mirror-object.ts'
import { MirrorState } from '../mirrors/mirror-state.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { LinkTabs } from '../parts/link-tabs.tsx'
import { missingRight } from '../parts/missing-right.ts'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { objectState } from '../parts/object-state.ts'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { runObject } from '../parts/run-object.ts'
import { Ago } from '../parts/time.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { Referrers } from '../referrers/referrers.tsx'
import { RunChecks } from '../run/run-checks.tsx'
import { ObjectEditor } from './object-editor.tsx'

const route = getRouteApi('/kinds/$kind/$namespace/$name')

export function ObjectPage() {
  const { kind, namespace, name } = route.useParams()
  return <OneObject key={`${kind} ${namespace} ${name}`} {...{ kind, namespace, name }} />
}

interface ObjectKey {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

function OneObject({ kind, namespace, name }: ObjectKey) {
  usePageTitle(name)
  const { client } = useConsoleData()
  const { timed, refetchInterval } = useAskAgain(kind)
  const { view = 'conditions' } = route.useSearch()
  const { data: object, error } = useQuery({
    queryKey: ['object', kind, namespace, name],
    queryFn: ({ signal }) => timed(() => client.getObject(kind, { namespace, name }, signal)),
    refetchInterval,
    retry: false,
  })
  return (
    <div className="page">
      <nav className="crumbs" aria-label="Where this is">
        <Link to="/kinds">Kinds</Link> <span aria-hidden="true">/</span>{' '}
        <Link to="/kinds/$kind" params={{ kind }} search={{ namespace }}>
          <Plain text={kind} />
        </Link>
      </nav>
      {object === undefined && (
        <h1>
          <Plain text={name} />
        </h1>
      )}
      {error !== null && <FailureNotice what="It cannot be read:" error={error} />}
      {object !== undefined && (
        <>
          <div className="page-head">
            <h1>
              <Plain text={name} />
            </h1>
            <Phase phase={objectState(object).phase} />
            <ObjectActions kind={kind} object={object} />
          </div>
          <ObjectFacts object={object} />
          {kind === targetKind && <MirrorState target={object} />}
          <LinkTabs
            label="Views of the object"
            current={view}
            tabs={[
              ['conditions', 'Conditions'],
              ['references', 'Referred to by'],
              ['events', 'Events'],
              ['yaml', 'YAML'],
            ]}
          />
          {view === 'yaml' && <ObjectEditor kind={kind} object={object} />}
          {view === 'references' && <Referrers kind={kind} objectKey={{ namespace, name }} />}
          {view === 'events' && <EventList kind={kind} objectKey={{ namespace, name }} />}
          {view === 'conditions' && <RunChecks run={runObject(object)} />}
        </>
      )}
    </div>
  )
}

function ObjectFacts({ object }: { readonly object: ApiObject }) {
  const { metadata } = object
  const { message } = objectState(object)
  return (
    <>
      {message !== undefined && message !== '' && (
        <p className="outcome">
          <Plain text={message} />
        </p>
      )}
      {metadata.deletionTimestamp !== undefined && (
        <Notice tone="wait">It is being deleted, and waits for its finalizers.</Notice>
      )}
      <Facts
        items={[
          ['Namespace', <Plain key="namespace" text={metadata.namespace} />],
          ['Created', <Ago key="created" at={metadata.creationTimestamp} />],
          ['Generation', metadata.generation],
          [
            'Owner',
            metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`).join(', ') ?? '',
          ],
        ]}
      />
    </>
  )
}

function ObjectActions({ kind, object }: { readonly kind: string; readonly object: ApiObject }) {
  const { client, queries } = useConsoleData()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const { name, namespace = '' } = object.metadata
  const at = kind.indexOf('.')
  const [group, resource] = [kind.slice(at + 1), kind.slice(0, at)]
  const [mayDelete] = useAccess([{ verb: 'delete', group, resource, namespace, name }])
  const remove = useMutation({
    mutationFn: () => client.deleteObject(kind, { namespace, name }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['objects', kind] })
      await navigate({ to: '/kinds/$kind', params: { kind }, search: { namespace } })
    },
    onSettled: () => setAsking(false),
  })
  return (
    <div className="actions">
      <Button look="danger" obstacle={missingRight(mayDelete)} onClick={() => setAsking(true)}>
        Delete
      </Button>
      {remove.error !== null && <FailureNotice what="Not deleted:" error={remove.error} />}
      {isAsking && (
        <Dialog
          title="Delete this object?"
          onClose={() => setAsking(false)}
          actions={
            <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
              Delete it
            </Button>
          }
        >
          <p>
            <Plain text={`${object.kind} ${name}`} /> is deleted with all that belongs to it. This
            cannot be undone.
          </p>
        </Dialog>
      )}
    </div>
  )
}
