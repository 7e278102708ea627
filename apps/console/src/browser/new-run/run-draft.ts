import type { RunRequest } from '@agents/client'
import { parse, stringify } from 'yaml'

/** The kinds of runs that can be started, what they refer to, and where that is listed. */
export const startable = {
  AgentRun: { reference: 'agentRef', word: 'Agent', of: 'agents.agents.proompteng.ai' },
  OrchestrationRun: {
    reference: 'orchestrationRef',
    word: 'Orchestration',
    of: 'orchestrations.orchestration.proompteng.ai',
  },
  ToolRun: { reference: 'toolRef', word: 'Tool', of: 'tools.tools.proompteng.ai' },
} as const

export type StartableKind = keyof typeof startable

/** The fields of the form, as read from a draft. */
export interface RunForm {
  readonly kind: StartableKind
  readonly namespace: string
  readonly name: string
  readonly of: string
  readonly text: string
  readonly parameters: Readonly<Record<string, string>>
}

type Draft = Readonly<Record<string, unknown>>

/** What the form can change of a manifest. All else of it stays as it was written. */
export function readDraft(text: string): { readonly draft: Draft; readonly form: RunForm } {
  const draft = objectOf(parse(text, { logLevel: 'error' }))
  const metadata = objectOf(draft.metadata)
  const spec = objectOf(draft.spec)
  const kind = isStartable(draft.kind) ? draft.kind : 'AgentRun'
  const inline = objectOf(objectOf(spec.implementation).inline)
  return {
    draft,
    form: {
      kind,
      namespace: textOf(metadata.namespace),
      name: textOf(metadata.name),
      of: textOf(objectOf(spec[startable[kind].reference]).name),
      text: textOf(inline.text),
      parameters: Object.fromEntries(
        Object.entries(objectOf(spec.parameters)).map(([name, value]) => [name, textOf(value)]),
      ),
    },
  }
}

/** The manifest of the form. Of the draft before stays what the form does not know. */
export function writeDraft(before: Draft, form: RunForm): string {
  const { kind, namespace, name, of, text, parameters } = form
  const isSameKind = before.kind === kind
  const metadata = isSameKind ? objectOf(before.metadata) : {}
  const spec = isSameKind ? objectOf(before.spec) : {}
  const { name: _name, namespace: _namespace, ...otherMetadata } = metadata
  const { parameters: _parameters, ...otherSpec } = spec
  const next = {
    apiVersion: `${groupOf(kind)}/v1alpha1`,
    kind,
    metadata: { namespace, ...(name !== '' && { name }), ...otherMetadata },
    spec: {
      [startable[kind].reference]: { name: of },
      ...(kind === 'AgentRun' && agentSpec(otherSpec, text)),
      ...without(otherSpec, startable[kind].reference, 'implementation'),
      ...(Object.keys(parameters).length > 0 && { parameters }),
    },
  }
  return stringify(next, { lineWidth: 0 })
}

/** What the API is sent. Undefined if the text is not a manifest of a run. */
export function requestOf(text: string): RunRequest | undefined {
  try {
    const { draft, form } = readDraft(text)
    const metadata = objectOf(draft.metadata)
    const { labels, annotations } = metadata as Pick<RunRequest, 'labels' | 'annotations'>
    if (!isStartable(draft.kind) || draft.spec === undefined) return undefined
    return {
      kind: draft.kind,
      namespace: form.namespace,
      ...(form.name !== '' && { name: form.name }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      spec: objectOf(draft.spec),
    }
  } catch {
    return undefined
  }
}

function agentSpec(spec: Draft, text: string): Draft {
  const implementation = objectOf(spec.implementation)
  const inline = objectOf(implementation.inline)
  const isInline = text !== '' || spec.implementationSpecRef === undefined
  return {
    ...(isInline && { implementation: { ...implementation, inline: { ...inline, text } } }),
    ...(spec.runtime === undefined && { runtime: { type: 'job' } }),
  }
}

function groupOf(kind: StartableKind): string {
  const { of } = startable[kind]
  return of.slice(of.indexOf('.') + 1)
}

function without(object: Draft, ...names: readonly string[]): Draft {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

function isStartable(kind: unknown): kind is StartableKind {
  return typeof kind === 'string' && Object.hasOwn(startable, kind)
}

function objectOf(value: unknown): Draft {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Draft)
    : {}
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : String(value)
}
