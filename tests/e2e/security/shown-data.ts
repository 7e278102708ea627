import type { KubeClient } from '@agents/kube'
import { Client } from 'pg'

/** Everything that the API shows, except Secrets. */
export async function objectsGivingAway(
  client: KubeClient,
  found: (text: string) => string[],
): Promise<string[]> {
  const core = ['pods', 'configmaps', 'events', 'serviceaccounts', 'persistentvolumeclaims']
  const agents = ['agents', 'agentproviders', 'agentruns', 'memories', 'versioncontrolproviders']
  const gitops = ['gitproviders', 'gittargets', 'watchrules', 'clusterwatchrules']
  const paths = [
    ...core.map((plural) => `/api/v1/${plural}`),
    ...['jobs'].map((plural) => `/apis/batch/v1/${plural}`),
    ...['events'].map((plural) => `/apis/events.k8s.io/v1/${plural}`),
    ...['leases'].map((plural) => `/apis/coordination.k8s.io/v1/${plural}`),
    ...agents.map((plural) => `/apis/agents.proompteng.ai/v1alpha1/${plural}`),
    ...gitops.map((plural) => `/apis/gitops.proompteng.ai/v1alpha1/${plural}`),
    '/metrics',
  ]
  const hits: string[] = []
  for (const path of paths) {
    const { bytes } = await client.request({ path })
    const names = found(bytes.toString('utf8'))
    if (names.length > 0) hits.push(`${path}: ${names.join(', ')}`)
  }
  return hits
}

export async function archivedRuns(url: string): Promise<unknown[]> {
  const known = await rows(url, 'select name from run_archive')
  return known.map(({ name }) => name).toSorted()
}

/** Every row of all our tables. */
export async function databaseText(url: string): Promise<string> {
  const tables = await rows(
    url,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const texts: string[] = []
  for (const { name } of tables) texts.push(JSON.stringify(await rows(url, `table ${name}`)))
  return texts.join('\n')
}

async function rows(url: string, query: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  try {
    await client.connect()
    return (await client.query(query)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}
