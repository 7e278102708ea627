import { defineCommand } from '../cli/command.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { saidBy } from '../cli/explain-failure.ts'
import { applyObject } from '../cluster/apply-object.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { readManifests } from '../cluster/read-manifests.ts'
import { objectName } from '../cluster/show-objects.ts'

export const applyCommand = defineCommand({
  name: 'apply',
  summary: 'Create or change objects from files',
  options: {
    file: {
      type: 'string',
      short: 'f',
      multiple: true,
      value: 'FILE',
      help: 'A file, a folder, or - for the standard input.',
    },
    'dry-run': { type: 'boolean', help: 'Let the server check it, and keep nothing.' },
    ...clusterOptions,
  },
  examples: [
    {
      does: 'the examples of the chart',
      line: 'agentctl apply -f charts/agents/examples/agent-smoke.yaml',
    },
  ],
  run: ({ values }, world) =>
    withCluster(values, world, async ({ client, namespace }) => {
      if (values.file.length === 0) throw usageFailure('which file? Name it with -f')
      const read = await Promise.all(values.file.map((path) => readManifests(path, world)))
      const objects = read.flat()
      if (objects.length === 0) {
        throw usageFailure(`there is nothing to apply in ${values.file.join(', ')}`)
      }
      let refused = 0
      for (const object of objects) {
        try {
          const options = { namespace, dryRun: values['dry-run'], signal: world.stop }
          const what = await applyObject(client, object, options)
          world.stdout.write(
            `${objectName(object)} ${what}${values['dry-run'] ? ' (dry run)' : ''}\n`,
          )
        } catch (error) {
          if (!(error instanceof Error) || world.stop.aborted) throw error
          refused++
          world.stderr.write(
            `${world.stderr.style.bad('error:')} ${objectName(object)}: ${saidBy(error)}\n`,
          )
        }
      }
      if (refused > 0) {
        throw new CommandFailure(`${refused} of ${objects.length} objects were refused`, {
          code: exitCode.cluster,
        })
      }
      return exitCode.done
    }),
})
