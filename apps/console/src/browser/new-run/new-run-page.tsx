import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { Button } from '../parts/button.tsx'
import { Select, TextArea, TextField } from '../parts/field.tsx'
import { missingRight } from '../parts/missing-right.ts'
import { FailureNotice } from '../parts/notice.tsx'
import { resourceOf } from '../parts/run-kinds.ts'
import { usePageTitle } from '../parts/use-page-title.ts'
import { CodeEditor } from '../yaml/code-editor.tsx'
import { useKindSchema } from '../yaml/use-kind-schema.ts'
import { useWrittenText } from '../yaml/use-written-text.ts'
import { declaredParameters } from './declared-parameters.ts'
import { ParameterFields } from './parameter-fields.tsx'
import { type RunForm, readDraft, requestOf, startable, writeDraft } from './run-draft.ts'
import { useDryRun } from './use-dry-run.ts'

const route = getRouteApi('/new')
const kindOptions = Object.entries(startable).map(([kind, { word }]) => [kind, word] as const)

export function NewRunPage() {
  usePageTitle('New run')
  const { kind = 'AgentRun', namespace = 'agents', of = '' } = route.useSearch()
  const { text, settled, type, put } = useWrittenText(() =>
    writeDraft({}, { kind, namespace, name: '', of, text: '', parameters: {} }),
  )
  // One key for one page: pressing twice, or again after a lost answer, starts one run.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { client } = useConsoleData()
  const navigate = useNavigate()
  const dryRun = useDryRun(settled)
  const form = useMemo(() => readable(settled)?.form, [settled])
  // The YAML may have been typed on since the form was made from it.
  const change = (part: Partial<RunForm>): void => {
    const now = readable(text)
    if (now !== undefined) put(writeDraft(now.draft, { ...now.form, ...part }))
  }
  const { group, resource } = resourceOf(form?.kind ?? 'AgentRun')
  const schema = useKindSchema(`${resource}.${group}`)
  const state = text === settled ? dryRun.state : 'checking'
  const [access] = useAccess([
    {
      verb: 'create',
      ...{ group, resource },
      namespace: form?.namespace || 'agents',
    },
  ])
  const start = useMutation({
    mutationFn: async () => {
      const request = requestOf(text)
      if (request === undefined) throw new Error('this is not the manifest of a run')
      const options = request.name === undefined ? { idempotencyKey } : {}
      return await client.submitRun(request, options)
    },
    onSuccess: ({ run }) =>
      navigate({
        to: '/runs/$namespace/$name',
        params: { namespace: run.namespace, name: run.name },
        search: { kind: run.kind },
      }),
  })
  const states = {
    checking: 'Checking with the server…',
    valid: 'The server would accept this.',
    invalid: 'The server would not accept this.',
  }
  return (
    <form
      className="page"
      onSubmit={(event) => {
        event.preventDefault()
        if (state === 'valid' && !start.isPending) start.mutate()
      }}
    >
      <div className="page-head">
        <h1>New run</h1>
        <span className="quiet" role="status" data-check={state}>
          {states[state]}
        </span>
        <div className="actions">
          <Button
            look="main"
            type="submit"
            busy={start.isPending}
            obstacle={
              missingRight(access) ?? (state === 'valid' ? undefined : states[state].toLowerCase())
            }
          >
            Start
          </Button>
        </div>
      </div>
      {start.error !== null && <FailureNotice what="Not started:" error={start.error} />}
      <div className="two-columns">
        {form === undefined ? (
          <p className="empty">The form continues when the YAML can be read.</p>
        ) : (
          <FormFields form={form} onChange={change} />
        )}
        <CodeEditor
          label="YAML"
          text={text}
          onText={type}
          problems={dryRun.problems}
          rows={24}
          schema={schema}
        />
      </div>
    </form>
  )
}

interface FormFieldsProps {
  readonly form: RunForm
  readonly onChange: (part: Partial<RunForm>) => void
}

function FormFields({ form, onChange: set }: FormFieldsProps) {
  const { client } = useConsoleData()
  const { kind, namespace, of } = form
  const { word, of: kindName } = startable[kind]
  const choices = useQuery({
    queryKey: ['objects', kindName, namespace],
    queryFn: ({ signal }) => client.listObjects(kindName, { namespace, limit: 500 }, signal),
    enabled: /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace),
    retry: false,
  })
  const objects = choices.data?.items ?? []
  const chosen = objects.find(({ metadata }) => metadata.name === of)
  const options = objects.map(({ metadata: { name } }) => [name, name] as const)
  return (
    <div className="form">
      <div className="row">
        <Select
          label="What runs"
          value={kind}
          options={kindOptions}
          onChange={(next) => set({ kind: next as RunForm['kind'], of: '', parameters: {} })}
        />
        <TextField
          label="Namespace"
          value={namespace}
          required
          onChange={(next) => set({ namespace: next })}
        />
      </div>
      {choices.isFetching || options.length > 0 ? (
        <Select
          label={word}
          value={of}
          options={[
            ['', choices.isPending ? 'Loading…' : `Choose the ${word}`],
            ...(of !== '' && chosen === undefined ? [[of, `${of} (not found)`] as const] : []),
            ...options,
          ]}
          onChange={(next) => set({ of: next, parameters: {} })}
        />
      ) : (
        <TextField label={word} value={of} required onChange={(next) => set({ of: next })} />
      )}
      {kind === 'AgentRun' && (
        <TextArea
          label="Task"
          value={form.text}
          rows={6}
          onChange={(text) => set({ text })}
          hint="What the agent is to do, in as many words as it takes."
        />
      )}
      <TextField
        label="Name"
        value={form.name}
        placeholder="chosen by the server"
        onChange={(name) => set({ name })}
      />
      <ParameterFields
        declared={declaredParameters(chosen)}
        values={form.parameters}
        onValues={(parameters) => set({ parameters })}
      />
    </div>
  )
}

/** Undefined while the YAML is being written and cannot be read. */
function readable(text: string): ReturnType<typeof readDraft> | undefined {
  try {
    return readDraft(text)
  } catch {
    return undefined
  }
}
