import { defineCommand } from '../cli/command.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Say which version this is, and which the cluster has',
  options: {
    client: { type: 'boolean', help: 'Only of this program; asks no cluster.' },
    ...clusterOptions,
  },
  examples: [{ does: 'both versions', line: 'agentctl version' }],
  run: async ({ values }, world) => {
    world.stdout.write(`agentctl ${world.version} (Node ${process.versions.node})\n`)
    if (values.client) return exitCode.done
    return await withCluster(values, world, async ({ client, server }) => {
      const { gitVersion } = await client.discovery.version({ signal: world.stop })
      world.stdout.write(`Kubernetes ${gitVersion} at ${server}\n`)
      return exitCode.done
    })
  },
})
