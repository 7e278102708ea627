interface GrpcRow {
  readonly method: string
  readonly because?: string
  readonly request: object
  /** Whether the answer has no end. */
  readonly isEndless?: boolean
  /** Of each caller, in the order of `callers`. */
  readonly codes: readonly string[]
}

const [ok, no, unknown, none] = ['OK', 'PermissionDenied', 'Unauthenticated', 'NotFound'] as const
const strangers = [unknown, unknown, unknown, unknown]
const spec = {
  agentRef: { name: 'writer' },
  implementation: { inline: { text: 'x' } },
  runtime: { type: 'job' },
}
const specJson = JSON.stringify(spec)
const writer = { kind: 'agents.agents.proompteng.ai', namespace: 'red', name: 'writer' }
const one = { namespace: 'red', name: 'one' }
const everybody = [...strangers, ok, ok, ok, ok, ok]
const readers = [...strangers, no, ok, no, ok, ok]
const writers = [...strangers, no, no, no, ok, ok]
const admins = [...strangers, no, no, no, no, ok]
const importedLine = JSON.stringify({
  ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun', spec },
  metadata: {
    ...{ namespace: 'red', name: 'imported', uid: '6c1f3f0e-5f2b-4c58-9d0e-2f4f2f6c7a11' },
    creationTimestamp: '2026-01-02T03:04:05Z',
  },
  status: { phase: 'Succeeded', finishedAt: '2026-01-02T03:05:05Z' },
})

/** As the JSON of messages has bytes. */
function base64(text: string): string {
  return Buffer.from(`${text}\n`).toString('base64')
}

/** In this order: those that delete come last. The order of codes: other reader, reader, pod, operator, admin. */
export const grpcRows: readonly GrpcRow[] = [
  {
    method: 'GetServerInfo',
    because: 'a token of the cluster is not that of the server',
    request: {},
    codes: [...strangers, unknown, unknown, unknown, unknown, unknown],
  },
  {
    method: 'GetControlPlaneStatus',
    because: 'a token of the cluster is not that of the server',
    request: {},
    codes: [...strangers, unknown, unknown, unknown, unknown, unknown],
  },
  { method: 'ListRuns', because: 'all that they may list', request: {}, codes: everybody },
  { method: 'ListRuns', request: { namespace: 'red' }, codes: readers },
  { method: 'GetRun', request: one, codes: readers },
  {
    method: 'GetRun',
    because: 'an archived run needs the same right',
    request: { ...one, name: 'archived' },
    codes: readers,
  },
  { method: 'SubmitRun', request: { namespace: 'red', specJson }, codes: writers },
  { method: 'WaitForRun', request: { ...one, timeoutSeconds: 0 }, codes: readers },
  {
    method: 'ReadLogs',
    because: 'a reader of runs may not read pods; the run has none',
    request: one,
    codes: [...strangers, no, no, no, none, none],
  },
  {
    method: 'ReadEvents',
    because: 'everybody sees the changes that they may: perhaps none',
    request: {},
    isEndless: true,
    codes: everybody,
  },
  {
    method: 'RepeatRun',
    because: 'the run has not finished',
    request: one,
    codes: [...strangers, no, 'Aborted', no, 'Aborted', 'Aborted'],
  },
  { method: 'CancelRun', request: one, codes: writers },
  { method: 'ListKinds', because: 'the kinds are no secret', request: {}, codes: everybody },
  {
    method: 'ListObjects',
    request: { kind: writer.kind, namespace: 'red' },
    codes: readers,
  },
  {
    method: 'ListObjects',
    because: 'all namespaces',
    request: { kind: writer.kind },
    codes: [...strangers, no, no, no, no, ok],
  },
  {
    method: 'ApplyObject',
    request: {
      ...writer,
      manifestJson: JSON.stringify({
        ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'Agent' },
        metadata: { name: 'writer' },
        spec: { providerRef: { name: 'scripted' } },
      }),
      force: true,
    },
    codes: writers,
  },
  {
    method: 'ApplyObject',
    because: 'a manifest of another kind than the request says is refused',
    request: {
      ...writer,
      manifestJson: JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'writer' } },
      }),
    },
    codes: [...strangers, ...Array.from({ length: 5 }, () => 'InvalidArgument')],
  },
  { method: 'GetObject', request: writer, codes: readers },
  {
    method: 'ListObjectEvents',
    because: 'events are objects with a right of their own',
    request: writer,
    codes: [...strangers, no, no, no, no, ok],
  },
  {
    method: 'DeliverSignal',
    request: { namespace: 'red', name: 'released', payloadJson: '{"a":1}' },
    codes: writers,
  },
  { method: 'TriggerSchedule', request: { namespace: 'red', name: 'nightly' }, codes: writers },
  { method: 'SumUsage', request: { namespace: 'red', by: 'day' }, codes: readers },
  {
    method: 'SumUsage',
    because: 'sums of the cluster need rights in the whole cluster',
    request: {},
    codes: admins,
  },
  { method: 'ExportUsage', request: { namespace: 'red' }, codes: readers },
  { method: 'ListDeliveries', request: { namespace: 'red' }, codes: readers },
  {
    method: 'ListDeliveries',
    because: 'the inbox of the cluster needs rights in the whole cluster',
    request: {},
    codes: admins,
  },
  { method: 'GetDelivery', request: { namespace: 'red', delivery: '1' }, codes: readers },
  {
    method: 'GetDelivery',
    because: 'it is one of another namespace',
    request: { namespace: 'red', delivery: '2' },
    codes: [...strangers, no, none, no, none, none],
  },
  {
    method: 'ReplayDelivery',
    because: 'who may read sources may not replay; the operator does, and it is no longer dead',
    request: { namespace: 'red', delivery: '1' },
    codes: [...strangers, no, no, no, ok, 'Aborted'],
  },
  {
    method: 'ListAudit',
    because: 'rights in a namespace do not show what others do in the cluster',
    request: { namespace: 'red' },
    codes: admins,
  },
  { method: 'VerifyAudit', request: {}, codes: admins },
  { method: 'ExportArchive', request: { namespace: 'red' }, codes: readers },
  {
    method: 'ExportArchive',
    because: 'an export of the cluster needs rights in the whole cluster',
    request: {},
    codes: admins,
  },
  {
    method: 'ImportArchive',
    because: 'who may read history may not write it',
    request: { namespace: 'red', lines: base64(importedLine) },
    codes: writers,
  },
  {
    method: 'ImportArchive',
    because: 'rights in a namespace do not write the history of another',
    request: { namespace: 'blue', lines: base64(importedLine) },
    codes: [...strangers, no, no, no, no, 'InvalidArgument'],
  },
  {
    method: 'GetArtifactContent',
    because: 'there is none',
    request: { namespace: 'red', name: 'none' },
    codes: [...strangers, no, none, no, none, none],
  },
  {
    method: 'DeleteObject',
    because: 'the operator deletes it, and then it is gone',
    request: writer,
    codes: [...strangers, no, no, no, ok, none],
  },
]
