import { defineCommand } from '../cli/command.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { messageOf } from '../cli/explain-failure.ts'
import { applyObject } from '../cluster/apply-object.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { readManifests } from '../cluster/read-manifests.ts'
import { objectName } from '../cluster/show-objects.ts'

export const applyCommand = defineCommand({
  options: {
    file: {
      type: 'string',
      short: 'f',
      multiple: true,
      value: 'FILE',
      help: 'File, folder, or - for standard input.',
    },
    'dry-run': { type: 'boolean', help: 'Validate on the server without storing anything.' },
    ...clusterOptions,
  },
  examples: [
    {
      does: 'apply an example of the chart',
      line: 'agentctl apply -f charts/agents/examples/agent-smoke.yaml',
    },
  ],
  run: ({ values }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      if (values.file.length === 0) throw usageFailure('no file given: use -f FILE')
      const read = await Promise.all(values.file.map((path) => readManifests(path, context)))
      const objects = read.flat()
      if (objects.length === 0) {
        throw usageFailure(`no objects found in ${values.file.join(', ')}`)
      }
      let refused = 0
      for (const object of objects) {
        try {
          const options = { namespace, dryRun: values['dry-run'], signal: context.stop }
          const what = await applyObject(client, object, options)
          context.stdout.write(
            `${objectName(object)} ${what}${values['dry-run'] ? ' (dry run)' : ''}\n`,
          )
        } catch (error) {
          if (!(error instanceof Error) || context.stop.aborted) throw error
          refused++
          context.stderr.write(
            `${context.stderr.style.bad('error:')} ${objectName(object)}: ${messageOf(error)}\n`,
          )
        }
      }
      if (refused > 0) {
        throw new CommandFailure(`${refused} of ${objects.length} objects were rejected`, {
          code: exitCode.cluster,
        })
      }
      return exitCode.done
    }),
})
