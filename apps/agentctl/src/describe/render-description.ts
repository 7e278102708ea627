import type { ClusterEvent, Condition, Job, KubeObject, Pod } from '@agents/kube'
import { stringify } from 'yaml'
import { shortDuration } from '../cli/duration.ts'
import type { Style } from '../cli/style.ts'
import { columns, indented } from '../cli/text-table.ts'
import { timeOf } from '../cluster/events-of.ts'
import type { Child } from './children-of.ts'

interface Description {
  readonly object: KubeObject
  readonly children: readonly Child[]
  readonly events: readonly ClusterEvent[]
}

export function renderDescription(
  { object, children, events }: Description,
  style: Style,
  now: Date,
): string {
  const { metadata, apiVersion, kind } = object
  const { conditions = [], ...status } = (object.status ?? {}) as { conditions?: Condition[] }
  const since = (at: string | undefined) =>
    at ? shortDuration(now.getTime() - Date.parse(at)) : '?'
  const facts = [
    ['Name', metadata.name],
    ...(metadata.namespace === undefined ? [] : [['Namespace', metadata.namespace]]),
    ['Kind', `${kind} (${apiVersion})`],
    ['Created', `${metadata.creationTimestamp ?? '?'} (${since(metadata.creationTimestamp)} ago)`],
    ...pairs('Labels', metadata.labels),
    ...(metadata.ownerReferences ?? []).map((owner) => ['Owned by', `${owner.kind}/${owner.name}`]),
    ...(metadata.deletionTimestamp ? [['Deleted', `since ${metadata.deletionTimestamp}`]] : []),
  ]
  const section = (title: string, body: string) =>
    body === '' ? [] : [`${style.bold(title)}\n${indented(body, 2)}`]
  const conditionRows = conditions.map(
    ({ type, status: value, reason, message, lastTransitionTime }) => [
      type,
      value,
      reason,
      since(lastTransitionTime),
      message,
    ],
  )
  const eventRows = events.map((event) => [
    event.type ?? '',
    event.reason ?? '',
    since(timeOf(event)),
    (event.message ?? '') + ((event.count ?? 1) > 1 ? ` (${event.count} times)` : ''),
  ])
  return [
    columns(facts),
    ...section('Spec', yaml(kind === 'Secret' ? undefined : object.spec)),
    ...section('Status', yaml(status)),
    ...section(
      'Conditions',
      table(['TYPE', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'], conditionRows),
    ),
    ...section('Children', columns(children.map(childRow))),
    ...section(
      'Events',
      events.length === 0 ? 'none\n' : table(['TYPE', 'REASON', 'AGE', 'MESSAGE'], eventRows),
    ),
  ].join('\n')
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : columns([header, ...rows])
}

function pairs(title: string, values: Readonly<Record<string, string>> = {}): string[][] {
  return Object.entries(values).map(([key, value], index) => [
    index === 0 ? title : '',
    `${key}=${value}`,
  ])
}

function yaml(value: unknown): string {
  if (value === undefined || value === null || Object.keys(value).length === 0) return ''
  return stringify(value, { lineWidth: 0 })
}

function childRow({ depth, object }: Child): string[] {
  return [`${'  '.repeat(depth - 1)}${object.kind}/${object.metadata.name}`, stateOf(object)]
}

function stateOf(object: KubeObject): string {
  const { status } = object as Pod & Job
  if (object.kind === 'Job') {
    const conditions = (object as Job).status?.conditions ?? []
    return (
      conditions.find(
        ({ type, status: value }) => value === 'True' && /^(Complete|Failed|Suspended)$/.test(type),
      )?.type ?? 'Running'
    )
  }
  return status?.phase ?? ''
}
