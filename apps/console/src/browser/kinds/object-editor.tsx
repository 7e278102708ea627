import { ApiFailure, type ApiObject } from '@agents/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { Button } from '../parts/button.tsx'
import { missingRight } from '../parts/missing-right.ts'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { CodeEditor } from '../yaml/code-editor.tsx'
import { type Problem, serverProblems, syntaxProblems } from '../yaml/problems.ts'
import { useKindSchema } from '../yaml/use-kind-schema.ts'
import { useWrittenText } from '../yaml/use-written-text.ts'
import { editableYaml, editedObject } from './edited-object.ts'

/** The object as YAML, which the server checks as it is written. */
export function ObjectEditor({ kind, object }: { readonly kind: string; object: ApiObject }) {
  const { client, queries } = useConsoleData()
  const schema = useKindSchema(kind)
  // What is edited is the version that was read first; a newer one is offered, not mixed in.
  const [base, setBase] = useState(object)
  const { text, settled, type, put } = useWrittenText(() => editableYaml(object))
  const original = useMemo(() => editableYaml(base), [base])
  const current = useMemo(() => editableYaml(object), [object])
  // A change of its status alone is not one of what is edited, and must not keep it from being saved.
  const isNewer = object.metadata.resourceVersion !== base.metadata.resourceVersion
  const isSame = object.metadata.uid === base.metadata.uid && current === original
  if (isNewer && isSame) setBase(object)
  const isChanged = text !== original
  const { name, namespace = '' } = object.metadata
  const at = kind.indexOf('.')
  const [mayUpdate] = useAccess([
    { verb: 'update', group: kind.slice(at + 1), resource: kind.slice(0, at), namespace, name },
  ])
  const edited = useMemo(() => editedObject(settled, base), [settled, base])
  const check = useQuery({
    queryKey: ['dry-run', kind, base.metadata.resourceVersion, settled],
    queryFn: async () => {
      if (edited === undefined) return false
      await client.replaceObject(kind, { namespace, name }, edited, { dryRun: true })
      return true
    },
    enabled: isChanged && settled === text && edited !== undefined && mayUpdate?.allowed === true,
    retry: false,
  })
  const save = useMutation({
    mutationFn: async () => {
      const wanted = editedObject(text, base)
      if (wanted === undefined) throw new Error('this is not an object')
      return await client.replaceObject(kind, { namespace, name }, wanted, {})
    },
    onSuccess: (saved) => {
      queries.setQueryData(['object', kind, namespace, name], saved)
      reload(saved)
    },
  })
  const reload = (next: ApiObject): void => {
    setBase(next)
    put(editableYaml(next))
  }
  const { error } = check
  const problems = useMemo(
    () => problemsOf(settled, edited !== undefined, error),
    [settled, edited, error],
  )
  const isStale = base.metadata.generation !== object.metadata.generation && current !== original
  const isBusy = settled !== text || check.isFetching
  return (
    <section className="object-editor" aria-label="YAML">
      {isStale && (
        <Notice tone="wait">
          It was changed by others meanwhile.{' '}
          <Button onClick={() => reload(object)}>Show the new version</Button>
        </Notice>
      )}
      <CodeEditor label="YAML" onText={type} rows={26} {...{ text, problems, schema }} />
      <div className="actions">
        <span className="quiet" role="status">
          {!isChanged
            ? 'Unchanged'
            : isBusy
              ? 'Checking with the server…'
              : problems.length > 0
                ? 'The server would not accept this.'
                : 'The server would accept this.'}
        </span>
        <Button
          obstacle={isChanged ? undefined : 'nothing is changed'}
          onClick={() => reload(object)}
        >
          Undo
        </Button>
        <Button
          look="main"
          busy={save.isPending || (isChanged && isBusy)}
          obstacle={
            missingRight(mayUpdate) ??
            (isChanged ? undefined : 'nothing is changed') ??
            (problems.length > 0 ? 'the server would not accept it' : undefined)
          }
          onClick={() => save.mutate()}
        >
          Save
        </Button>
      </div>
      {save.error !== null && <FailureNotice what="Not saved:" error={save.error} />}
    </section>
  )
}

function problemsOf(text: string, isObject: boolean, error: unknown): readonly Problem[] {
  const syntax = syntaxProblems(text)
  if (syntax.length > 0) return syntax
  if (!isObject) return [{ message: 'this is not an object' }]
  if (error === null || error === undefined) return []
  return serverProblems(text, error instanceof ApiFailure ? error.message : String(error))
}
