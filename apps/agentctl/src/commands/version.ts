import { defineCommand } from '../cli/command.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'

export const versionCommand = defineCommand({
  options: {
    client: {
      type: 'boolean',
      help: 'Show only the version of agentctl, without contacting the cluster.',
    },
    ...clusterOptions,
  },
  examples: [{ does: 'show both versions', line: 'agentctl version' }],
  run: async ({ values }, context) => {
    context.stdout.write(`agentctl ${context.version} (Node ${process.versions.node})\n`)
    if (values.client) return exitCode.done
    return await withCluster(values, context, async ({ client, server }) => {
      const { gitVersion } = await client.discovery.version({ signal: context.stop })
      context.stdout.write(`Kubernetes ${gitVersion} at ${server}\n`)
      return exitCode.done
    })
  },
})
