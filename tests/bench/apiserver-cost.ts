/**
 * Measures what each write of a run costs a real kube-apiserver in CPU time, by variants of the schema, with writes of
 * built-in kinds for comparison. Nothing watches the objects. `--objects=50 --rounds=1` is a short version.
 */
import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { agentRun } from '@agents/jangar-api'
import {
  CustomResourceDefinitionKind,
  createKubeClient,
  isNotFound,
  type KubeClient,
  kindRef,
} from '@agents/kube'
import {
  createPolicyObject,
  platformPolicyObjects,
} from '../support/run-platform/admission-policies.ts'
import { realClusterAvailable, startRealCluster } from '../support/testbed/real-cluster.ts'
import { connectionTo, installKinds } from '../support/testbed/server.ts'
import { until } from '../support/testbed/until.ts'
import { costTable } from './apiserver-cost/cost-table.ts'
import { measureCosts, profileSeries, type Series } from './apiserver-cost/measure.ts'
import { type SchemaVariant, schemaVariants } from './apiserver-cost/schema-variants.ts'
import { builtinWrites, runWrites } from './apiserver-cost/writes.ts'

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      /** Objects per write and round. */
      objects: { type: 'string', default: '200' },
      rounds: { type: 'string', default: '3' },
      /** Requests in flight. */
      'in-flight': { type: 'string', default: '4' },
      /** A folder for CPU profiles of kube-apiserver, one for each variant, in the format of pprof. */
      profile: { type: 'string' },
      /** Seconds of each profile. */
      seconds: { type: 'string', default: '15' },
    },
  })
  const available = await realClusterAvailable({})
  if (!available.available) {
    console.log(`SKIPPED: ${available.reason}`)
    return
  }
  const cluster = await startRealCluster({ fsync: false })
  const client = createKubeClient(connectionTo(cluster.url, cluster.caPem, cluster.adminToken), {
    userAgent: 'bench/1',
  })
  try {
    const series = await installSeries(client)
    const options = {
      client,
      pid: cluster.pids['kube-apiserver'] ?? 0,
      objects: Number(values.objects),
      inFlight: Number(values['in-flight']),
      rounds: Number(values.rounds),
    }
    const { costs, idle } = await measureCosts(series, options)
    console.log(
      `${options.objects} objects per write, median of ${options.rounds} rounds; idle: ${(idle * 100).toFixed(1)} % of a CPU`,
    )
    console.log(costTable(costs))
    if (values.profile === undefined) return
    const to = { folder: values.profile, seconds: Number(values.seconds) }
    await mkdir(to.folder, { recursive: true })
    for (const one of series) console.log(`profile: ${await profileSeries(one, options, to)}`)
  } finally {
    client.close()
    await cluster.stop()
  }
}

/** All series on one server: variants of the schema in groups of their own, and the kind as the chart installs it. */
async function installSeries(client: KubeClient): Promise<readonly Series[]> {
  for (const variant of schemaVariants) await installVariant(client, variant)
  await installKinds(client, [agentRun])
  for (const object of platformPolicyObjects()) await createPolicyObject(client, object)
  return [
    ...schemaVariants.map(({ name, group }) => ({ name, writes: runWrites(group) })),
    { name: 'with-policies', writes: runWrites(agentRun.group) },
    { name: 'built-in', writes: builtinWrites },
  ]
}

async function installVariant(
  client: KubeClient,
  { group, definition }: SchemaVariant,
): Promise<void> {
  await client.create(CustomResourceDefinitionKind, definition as never)
  await until(() =>
    client.list({ ...kindRef(agentRun), group }).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false
        throw error
      },
    ),
  )
}
