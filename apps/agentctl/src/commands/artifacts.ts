import { artifactsOf } from '../artifacts/run-artifacts.ts'
import { defineCommand } from '../cli/command.ts'
import { exitCode } from '../cli/exit-code.ts'
import { columns } from '../cli/text-table.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { namedRun } from '../run/run-name.ts'

export const artifactsCommand = defineCommand({
  arguments: [{ name: 'RUN', offers: { namesOf: 'agentruns' } }],
  options: { ...clusterOptions },
  examples: [{ does: 'list the files that a run left', line: 'agentctl artifacts first-run' }],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const { of, name } = namedRun(positionals[0])
      const all = await artifactsOf(client, { namespace, name }, of, context.stop)
      if (all.length === 0) {
        context.stderr.write(`Run ${name} has no artifacts.\n`)
        return exitCode.done
      }
      const rows = all.map(({ metadata, spec, status }) => [
        spec?.source?.name ?? '',
        String(spec?.source?.sizeBytes ?? ''),
        status?.phase ?? 'Pending',
        metadata.name,
      ])
      context.stdout.write(columns([['FILE', 'BYTES', 'PHASE', 'ARTIFACT'], ...rows]))
      return exitCode.done
    }),
})
