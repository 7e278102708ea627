import type { MatrixRow } from './matrix-rows.ts'

const strangers = [401, 401, 401, 401]
const readers = [...strangers, 403, 200, 403, 200, 200]
const writers = [...strangers, 403, 403, 403, 200, 200]
const creators = [...strangers, 403, 403, 403, 201, 201]
const everybody = [...strangers, 200, 200, 200, 200, 200]
const work = { implementation: { text: 'x' }, runtime: { type: 'job' } }
const plane = '/api/agents/control-plane'
const plan = { kind: 'ImplementationSpec', namespace: 'red', name: 'plan' }
/** The paths of the predecessor. UID is that of the run red/one. */
export const predecessorRows: readonly MatrixRow[] = [
  {
    id: 'listAgentRuns',
    because: 'without a namespace, everybody sees what they may: perhaps nothing',
    path: '/v1/agent-runs?agentName=writer',
    statuses: everybody,
  },
  { id: 'listAgentRuns', path: '/v1/agent-runs?agentId=writer&namespace=red', statuses: readers },
  { id: 'createAgentRun', path: '/v1/agent-runs', ...key('a'), body: newRun, statuses: creators },
  {
    id: 'createAgentRun',
    because: 'the same request of the same caller again is the same run',
    ...{ path: '/v1/agent-runs', ...key('a'), body: newRun },
    statuses: writers,
  },
  { id: 'getAgentRun', path: '/v1/agent-runs/UID', statuses: readers },
  { id: 'getRunById', path: '/v1/runs/UID', statuses: readers },
  {
    id: 'listOrchestrationRuns',
    path: '/v1/orchestration-runs?orchestrationName=graph&namespace=red',
    statuses: readers,
  },
  {
    id: 'createOrchestrationRun',
    ...{ path: '/v1/orchestration-runs', ...key('b') },
    body: () => ({ namespace: 'red', orchestrationRef: { name: 'graph' } }),
    statuses: creators,
  },
  {
    id: 'getOrchestrationRun',
    because: 'the run is one of another kind',
    path: '/v1/orchestration-runs/UID',
    statuses: [...strangers, 404, 404, 404, 404, 404],
  },
  {
    id: 'applyAgent',
    path: '/v1/agents',
    body: object('painter', { providerRef: { name: 'scripted' } }),
    statuses: writers,
  },
  { id: 'getAgent', path: '/v1/agents/painter?namespace=red', statuses: readers },
  {
    id: 'applyMemory',
    path: '/v1/memories',
    body: object('notes', { type: 'pinecone', connection: { secretRef: { name: 'memory' } } }),
    statuses: writers,
  },
  { id: 'getMemory', path: '/v1/memories/notes?namespace=red', statuses: readers },
  {
    id: 'queryMemory',
    because: 'a reader may not start the run that searches; there is no such Memory',
    path: '/v1/memory-queries',
    body: () => ({ namespace: 'red', memoryRef: 'none', query: 'x' }),
    statuses: [...strangers, 403, 403, 403, 404, 404],
  },
  {
    id: 'applyOrchestration',
    path: '/v1/orchestrations',
    body: object('graph', {
      steps: [{ name: 'build', kind: 'ToolRun', toolRef: { name: 'make' } }],
    }),
    statuses: writers,
  },
  { id: 'getOrchestration', path: '/v1/orchestrations/graph?namespace=red', statuses: readers },
  {
    id: 'listResources',
    path: `${plane}/resources?kind=AgentRun&namespace=red`,
    statuses: readers,
  },
  {
    id: 'applyResource',
    path: `${plane}/resource`,
    body: () => ({ ...plan, spec: { text: 'x' } }),
    statuses: writers,
  },
  { id: 'getResource', path: `${plane}/resource?${query()}`, statuses: readers },
  {
    id: 'listResourceEvents',
    because: 'events are objects with a right of their own',
    path: `${plane}/events?kind=Agent&namespace=red&name=painter`,
    statuses: [...strangers, 403, 403, 403, 403, 200],
  },
  {
    id: 'readRunLogs',
    because: 'a reader of runs may not read pods',
    path: `${plane}/logs?namespace=red&name=one`,
    statuses: [...strangers, 403, 403, 403, 200, 200],
  },
  { id: 'getStatus', path: `${plane}/status?namespace=red`, statuses: readers },
  { id: 'summarizeResources', path: `${plane}/summary?namespace=red`, statuses: readers },
  {
    id: 'streamResources',
    path: `${plane}/stream?namespace=red`,
    isEndless: true,
    statuses: readers,
  },
  {
    id: 'readAgentMessages',
    because: 'there are none',
    path: '/api/agents/events?limit=10',
    statuses: [...strangers, 410, 410, 410, 410, 410],
  },
  {
    id: 'deleteResource',
    because: 'the operator deletes it, so that the administrator does not find it',
    path: `${plane}/resource?${query()}`,
    statuses: [...strangers, 403, 403, 403, 200, 404],
  },
]

function query(): string {
  return new URLSearchParams(plan).toString()
}

function newRun(): object {
  return { namespace: 'red', agentRef: { name: 'writer' }, ...work }
}

function key(name: string): Pick<MatrixRow, 'headers'> {
  return { headers: { 'idempotency-key': name } }
}

function object(name: string, spec: object): () => object {
  return () => ({ namespace: 'red', name, spec })
}
