/** What the predecessor did and this API refuses. `because` is a row of the page docs/migrate.md. */
interface InsaneRow {
  readonly because: string
  /** If omitted, the administrator. */
  readonly as?: 'admin' | 'reader' | 'nobody'
  readonly path: string
  /** Of curl. */
  readonly args?: readonly string[]
  readonly status: number
  readonly error: RegExp
  readonly allow?: string
}

const plane = '/api/agents/control-plane'
const work = { implementation: { text: 'x' }, runtime: { type: 'job' } }
const run = { agentRef: { name: 'scripted' }, ...work }
const keyed = ['--header', 'Idempotency-Key: insane']
const agent = { name: 'x', namespace: 'agents', spec: { providerRef: { name: 'scripted' } } }
const spec = { name: 'x', namespace: 'agents', spec: { text: 'x' } }

export const insaneRows: readonly InsaneRow[] = [
  {
    because: 'no authentication',
    as: 'nobody',
    ...{ path: `${plane}/resources?kind=Agent&namespace=agents`, status: 401, error: /token/ },
  },
  {
    because: 'no authorization',
    as: 'reader',
    path: `${plane}/resource?kind=Agent&namespace=agents&name=scripted`,
    args: ['--request', 'DELETE'],
    ...{ status: 403, error: /cannot delete/ },
  },
  {
    because: 'the namespace `jangar` if none is given, to start a run',
    path: '/v1/agent-runs',
    args: [...keyed, ...json(run)],
    ...{ status: 400, error: /must have namespace/ },
  },
  {
    because: 'the namespace `jangar` if none is given, to read',
    ...{ path: '/v1/agents/scripted', status: 400, error: /namespace is required/ },
  },
  {
    because: 'no `Idempotency-Key`',
    path: '/v1/agent-runs',
    args: json({ ...run, namespace: 'agents' }),
    ...{ status: 400, error: /idempotency-key is required/ },
  },
  {
    because: 'another body with the same `Idempotency-Key`',
    path: '/v1/agent-runs',
    args: [
      ...['--header', 'Idempotency-Key: taken'],
      ...json({ ...run, namespace: 'agents', parameters: { other: 'x' } }),
    ],
    ...{ status: 409, error: /idempotency key was used with another body/ },
  },
  {
    because: '`name=--all`',
    path: `${plane}/resource?kind=Agent&namespace=agents&name=--all`,
    args: ['--request', 'DELETE'],
    ...{ status: 400, error: /name must match/ },
  },
  {
    because: 'a name that is a path',
    path: `${plane}/resource?kind=Agent&namespace=agents&name=../../secrets/x`,
    ...{ status: 400, error: /name must match/ },
  },
  {
    because: "a kind that is not the platform's",
    path: `${plane}/resources?kind=Secret&namespace=agents`,
    ...{ status: 400, error: /kind must be one of Agent,/ },
  },
  {
    because: 'a manifest of any kind',
    path: `${plane}/resource`,
    args: json({ ...spec, kind: 'Secret' }),
    ...{ status: 400, error: /kind must be one of ImplementationSpec/ },
  },
  {
    because: '`policy` of Agents and Orchestrations',
    path: '/v1/agents',
    args: json({ ...agent, policy: { secretBindingRef: { name: 'x' } } }),
    ...{ status: 400, error: /unknown field "policy"/ },
  },
  {
    because: '`policy.budgetRef` of OrchestrationRuns',
    path: '/v1/orchestration-runs',
    args: [
      ...keyed,
      ...json({
        ...{ namespace: 'agents', orchestrationRef: { name: 'x' } },
        policy: { budgetRef: { name: 'x' } },
      }),
    ],
    ...{ status: 400, error: /unknown field/ },
  },
  {
    because: '`limit` above 500 was cut to 500',
    path: `${plane}/resources?kind=Agent&namespace=agents&limit=501`,
    ...{ status: 400, error: /limit must be an integer from 1 to 500/ },
  },
  {
    because: '`limit` of events above 200 was cut to 200',
    path: `${plane}/events?kind=Agent&namespace=agents&name=scripted&limit=201`,
    ...{ status: 400, error: /limit must be an integer from 1 to 200/ },
  },
  {
    because: '`tailLines` above 5000 was cut to 5000',
    path: `${plane}/logs?namespace=agents&name=first-run&tailLines=5001`,
    ...{ status: 400, error: /tailLines must be an integer from 1 to 5000/ },
  },
  {
    because: '`stream=1` of `resources` and `resource`',
    path: `${plane}/resources?kind=AgentRun&namespace=agents&stream=1`,
    ...{ status: 400, error: /unknown query parameter "stream"/ },
  },
  {
    because: '`stream` of kinds that are no runs',
    path: `${plane}/stream?namespace=agents&kind=Agent`,
    ...{ status: 400, error: /kind must be one of AgentRun, / },
  },
  {
    because: 'runs of all agents',
    ...{ path: '/v1/agent-runs', status: 400, error: /agentName or agentId is required/ },
  },
  {
    because: 'an id that is not a uuid',
    ...{ path: '/v1/runs/first-run', status: 400, error: /id in the path must match/ },
  },
  {
    because: 'an unknown id',
    path: '/v1/runs/6c1f3f0e-5f2b-4c58-9d0e-2f4f2f6c7a11',
    ...{ status: 404, error: /no run with uid/ },
  },
  {
    because: 'an invalid spec',
    path: '/v1/agents',
    args: json({ ...agent, spec: {} }),
    ...{ status: 422, error: /providerRef/ },
  },
  {
    because: 'messages of agents',
    ...{ path: '/api/agents/events?runId=x', status: 410, error: /\/v1\/runs\/.*\/logs/ },
  },
  {
    because: 'another method',
    path: '/v1/agents',
    ...{ status: 405, error: /the path allows POST/, allow: 'post' },
  },
  {
    because: 'GET of `/mcp`',
    ...{ path: '/mcp', status: 405, error: /the path allows POST/, allow: 'post' },
  },
  {
    because: 'one path for the webhooks of all sources',
    path: '/api/agents/implementation-sources/webhooks/github',
    args: json({ action: 'opened' }),
    ...{ status: 404, error: /unknown path/ },
  },
]

function json(body: object): readonly string[] {
  return ['--json', JSON.stringify(body)]
}
