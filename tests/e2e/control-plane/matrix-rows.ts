import { type CallerName, callers } from './api-bed.ts'
import { predecessorRows } from './predecessor-rows.ts'

/** One operation of the API with the status that each caller gets, in the order of `callers`. */
export interface MatrixRow {
  /** `listRuns`, as in the description. */
  readonly id: string
  readonly because?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the answer has no end. */
  readonly isEndless?: boolean
  readonly body?: (caller: CallerName) => object
  /** If omitted, `application/json`. */
  readonly contentType?: string
  readonly statuses: readonly number[]
  /** The operation behind the request, which has its own audit entry, with a status for each authenticated caller. */
  readonly behind?: { readonly action: string; readonly namespace: string } & Pick<
    MatrixRow,
    'statuses'
  >
}

const strangers = [401, 401, 401, 401]
const open = callers.map(() => 200)
const spec = {
  agentRef: { name: 'writer' },
  implementation: { inline: { text: 'x' } },
  runtime: { type: 'job' },
}
const agent = '/v1/objects/agents.agents.proompteng.ai'

/** In this order: those that delete come last. The order of statuses: other reader, reader, pod, operator, admin. */
export const matrixRows: readonly MatrixRow[] = [
  { id: 'livez', path: '/livez', statuses: open },
  { id: 'readyz', path: '/readyz', statuses: open },
  { id: 'getDescription', path: '/openapi.json', statuses: open },
  {
    id: 'createSessionCode',
    because: 'everybody may have a browser act as themselves',
    path: '/v1/session/codes',
    statuses: [...strangers, 201, 201, 201, 201, 201],
  },
  {
    id: 'openSession',
    because: 'the request does not come from a page of the console',
    path: '/v1/session',
    body: () => ({ code: 'wrong' }),
    statuses: callers.map(() => 403),
  },
  {
    id: 'getSession',
    path: '/v1/session',
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  {
    id: 'endSession',
    because: 'it ends those of the caller',
    path: '/v1/session',
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  { id: 'listSignIns', path: '/v1/sign-in', statuses: open },
  {
    id: 'startSignIn',
    because: 'the request does not come from a page of the console',
    path: '/v1/sign-in',
    statuses: callers.map(() => 403),
  },
  {
    id: 'finishSignIn',
    because: 'the request does not come from a page of the console',
    path: '/v1/sign-in/finish',
    body: () => ({ answer: '?code=wrong&state=wrong' }),
    statuses: callers.map(() => 403),
  },
  {
    id: 'endSessionsOf',
    because: 'rights in a namespace do not end sessions of others',
    path: '/v1/sessions?username=oidc:reader',
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  {
    id: 'reviewAccess',
    because: 'everybody may ask about themselves',
    path: '/v1/access',
    body: () => ({ acts: [{ verb: 'list', group: '', resource: 'secrets' }] }),
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  {
    id: 'listRuns',
    because: 'without a namespace, everybody sees what they may: perhaps nothing',
    path: '/v1/runs',
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  {
    id: 'listRuns',
    path: '/v1/runs?namespace=red',
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'listRuns',
    because: 'archived runs need the same right as those in the cluster',
    path: '/v1/runs?namespace=red&source=archive&text=archived',
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'listRuns',
    because: 'a repository shows nothing more',
    path: '/v1/runs?namespace=red&repository=org/shop',
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  { id: 'getRun', path: '/v1/runs/red/one', statuses: [...strangers, 403, 200, 403, 200, 200] },
  {
    id: 'getRun',
    because: 'an archived run needs the same right',
    path: '/v1/runs/red/archived',
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'readEvents',
    because: 'everybody sees the changes that they may: perhaps none',
    path: '/v1/events',
    isEndless: true,
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  {
    id: 'submitRun',
    path: '/v1/runs',
    body: () => ({ namespace: 'red', spec }),
    statuses: [...strangers, 403, 403, 403, 201, 201],
  },
  {
    id: 'waitForRun',
    path: '/v1/runs/red/one/wait?timeoutSeconds=0',
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'readLogs',
    because: 'a reader of runs may not read pods; the run has none',
    path: '/v1/runs/red/one/logs',
    statuses: [...strangers, 403, 403, 403, 404, 404],
  },
  {
    id: 'repeatRun',
    because: 'the run has not finished',
    path: '/v1/runs/red/one/rerun',
    statuses: [...strangers, 403, 409, 403, 409, 409],
  },
  {
    id: 'repeatRun',
    path: '/v1/runs/red/finished/rerun',
    statuses: [...strangers, 403, 403, 403, 201, 201],
  },
  {
    id: 'cancelRun',
    path: '/v1/runs/red/one/cancel',
    statuses: [...strangers, 403, 403, 403, 200, 200],
  },
  {
    id: 'listKinds',
    because: 'the kinds are no secret',
    path: '/v1/kinds',
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  {
    id: 'listObjects',
    path: `${agent}?namespace=red`,
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'listObjects',
    because: 'all namespaces at once',
    path: agent,
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  {
    id: 'getKindSchema',
    because: 'it is the same for all',
    path: '/v1/kinds/agents.agents.proompteng.ai/schema',
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  {
    id: 'applyObject',
    path: `${agent}/red/writer`,
    body: () => ({
      apiVersion: 'agents.proompteng.ai/v1alpha1',
      kind: 'Agent',
      metadata: { name: 'writer' },
      spec: { providerRef: { name: 'scripted' } },
    }),
    statuses: [...strangers, 403, 403, 403, 200, 200],
  },
  {
    id: 'applyObject',
    because: 'what the operator has created is not changed',
    path: `${agent}/red/created?create=true`,
    body: () => ({
      apiVersion: 'agents.proompteng.ai/v1alpha1',
      kind: 'Agent',
      metadata: { name: 'created' },
      spec: { providerRef: { name: 'scripted' } },
    }),
    statuses: [...strangers, 403, 403, 403, 200, 409],
  },
  {
    id: 'getObject',
    path: `${agent}/red/writer`,
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'listObjects',
    because: 'rights in the groups of agents are none in the group of the mirror',
    path: '/v1/objects/gittargets.gitops.proompteng.ai?namespace=red',
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  {
    id: 'listObjectEvents',
    because: 'events are objects with a right of their own',
    path: `${agent}/red/writer/events`,
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  {
    id: 'examinePlatform',
    because: 'each check has the rights of the caller',
    path: '/v1/doctor?namespace=red',
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  {
    id: 'listQueues',
    because: 'it counts the runs that the caller may list',
    path: '/v1/queues',
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  {
    id: 'listReferrers',
    because: 'whoever may get an object sees of those that refer to it what they may list',
    path: `${agent}/red/writer/referrers`,
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'deliverSignal',
    path: '/v1/signals/red/released/deliveries',
    body: (caller) => ({ payload: { caller } }),
    statuses: [...strangers, 403, 403, 403, 201, 201],
  },
  {
    id: 'triggerSchedule',
    path: '/v1/schedules/red/nightly/trigger',
    statuses: [...strangers, 403, 403, 403, 201, 201],
  },
  {
    id: 'uploadArtifact',
    because: 'tokens for the API server are not for uploads, that of a pod included',
    path: `/v1/artifacts?type=file&name=a&sha256=${'0'.repeat(64)}&sizeBytes=1`,
    statuses: callers.map(() => 401),
  },
  {
    id: 'reportUsage',
    because: 'tokens for the API server are not for reports, that of a pod included',
    path: '/v1/usage',
    body: () => ({ inputTokens: 1 }),
    statuses: callers.map(() => 401),
  },
  {
    id: 'getArtifactContent',
    because: 'there is none',
    path: '/v1/artifacts/red/none/content',
    statuses: [...strangers, 403, 404, 403, 404, 404],
  },
  {
    id: 'receiveWebhook',
    because: 'a token of the cluster proves nothing: deliveries are signed',
    path: '/api/agents/implementation-sources/webhooks/github/red/issues',
    body: () => ({ action: 'opened' }),
    statuses: callers.map(() => 401),
  },
  {
    id: 'listDeliveries',
    path: '/v1/inbox?namespace=red',
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'listDeliveries',
    because: 'the inbox of the cluster needs rights in the whole cluster',
    path: '/v1/inbox',
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  {
    id: 'getDelivery',
    path: '/v1/inbox/red/1',
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'getDelivery',
    because: 'it is one of another namespace',
    path: '/v1/inbox/red/2',
    statuses: [...strangers, 403, 404, 403, 404, 404],
  },
  {
    id: 'replayDelivery',
    because: 'who may read sources may not replay; the operator does, and it is no longer dead',
    path: '/v1/inbox/red/1/replay',
    statuses: [...strangers, 403, 403, 403, 200, 409],
  },
  {
    id: 'callTools',
    because: 'everybody may see the tools; what a tool may do is decided by the route behind it',
    path: '/mcp',
    body: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    statuses: [...strangers, 200, 200, 200, 200, 200],
  },
  {
    id: 'callTools',
    because: 'what a tool refuses is a result for the model',
    path: '/mcp',
    body: () => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'list_runs', arguments: { namespace: 'blue' } },
    }),
    statuses: [...strangers, 200, 200, 200, 200, 200],
    behind: { action: 'listRuns', namespace: 'blue', statuses: [200, 403, 403, 403, 200] },
  },
  {
    id: 'listAudit',
    because: 'rights in a namespace do not show what others do in the cluster',
    path: '/v1/audit?namespace=red',
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  {
    id: 'exportArchive',
    path: '/v1/archive?namespace=red',
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'exportArchive',
    because: 'an export of the cluster needs rights in the whole cluster',
    path: '/v1/archive',
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  {
    id: 'importArchive',
    because: 'who may read history may not write it; the line is no run',
    path: '/v1/archive?namespace=red',
    contentType: 'application/octet-stream',
    body: () => ({}),
    statuses: [...strangers, 403, 403, 403, 400, 400],
  },
  {
    id: 'sumUsage',
    path: '/v1/usage?namespace=red&by=day',
    statuses: [...strangers, 403, 200, 403, 200, 200],
  },
  {
    id: 'exportUsage',
    because: 'sums of the cluster need rights in the whole cluster',
    path: '/v1/usage.csv',
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  {
    id: 'verifyAudit',
    path: '/v1/audit/verify',
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  ...predecessorRows,
  {
    id: 'deleteObject',
    because: 'the operator deletes it, so that the administrator does not find it',
    path: `${agent}/red/writer`,
    statuses: [...strangers, 403, 403, 403, 200, 404],
  },
]
