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
  {
    method: 'DeleteObject',
    because: 'the operator deletes it, and then it is gone',
    request: writer,
    codes: [...strangers, no, no, no, ok, none],
  },
]
