import { defineCommand, type ValuesOf } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { columns } from '../cli/text-table.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { exportTo, importFrom } from '../server-api/archive-files.ts'
import { openServer, pathWith, type ServerApi } from '../server-api/open-server.ts'
import { serverOptions } from '../server-api/server-options.ts'

interface Listed {
  readonly items: readonly {
    readonly namespace: string
    readonly kind: string
    readonly name: string
    readonly of?: string
    readonly phase?: string
    readonly finishedAt?: string
  }[]
  readonly next?: string
}

const options = {
  'all-namespaces': { type: 'boolean', short: 'A', help: 'Runs of all namespaces.' },
  kind: {
    type: 'string',
    value: 'KIND',
    choices: ['AgentRun', 'ToolRun', 'OrchestrationRun'],
    help: 'Only runs of this kind.',
  },
  since: { type: 'string', value: 'TIME', help: 'Only runs that were created then or later.' },
  until: { type: 'string', value: 'TIME', help: 'Only runs that were created before.' },
  text: { type: 'string', value: 'WORDS', help: 'With list: only runs with all of these words.' },
  phase: { type: 'string', value: 'PHASE', help: 'With list: only runs that ended so.' },
  repository: {
    type: 'string',
    value: 'OWNER/NAME',
    help: 'With list: only runs that worked in this repository.',
  },
  limit: { type: 'string', value: 'COUNT', help: 'With list: how many runs. Defaults to 50.' },
  ...serverOptions,
  ...clusterOptions,
} as const

const subcommands = ['list', 'export', 'import']

export const archiveCommand = defineCommand({
  about:
    'list shows finished runs that the database keeps, newest first. export writes them to a file, or to standard output, as JSON lines: the\n' +
    'whole object of a run each. import adds those of a file, or of standard input, to the archive; runs that it has already are left as they are,\n' +
    'so it may be repeated.',
  arguments: [
    { name: 'list|export|import', offers: subcommands },
    { name: 'FILE', optional: true },
  ],
  options,
  examples: [
    { does: 'find old runs', line: 'agentctl archive list --text "web shop"' },
    { does: 'save the archive', line: 'agentctl archive export runs.jsonl -A' },
    {
      does: 'move it to a cluster',
      line: 'agentctl archive import runs.jsonl -A --server https://agents.example.com',
    },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ connection, namespace: own }) => {
      const [word = '', file] = positionals
      if (!subcommands.includes(word)) {
        const given = JSON.stringify(word)
        throw usageFailure(
          `unknown subcommand ${given}: use agentctl archive list, export or import`,
        )
      }
      if (word === 'list' && file !== undefined) throw usageFailure('list takes no file')
      const namespace = values['all-namespaces'] ? undefined : own
      const api = await openServer(connection, values, context)
      if (word === 'list') return await list(api, namespace, values, context)
      const { kind, since, until } = values
      if (word === 'export') {
        const runs = await exportTo(api, { namespace, kind, since, until }, file, context)
        context.stderr.write(`Exported ${runs} runs.\n`)
        return exitCode.done
      }
      const { imported, known } = await importFrom(api, namespace, file, context)
      context.stderr.write(`Imported ${imported} runs; ${known} were in the archive already.\n`)
      return exitCode.done
    }),
})

async function list(
  api: ServerApi,
  namespace: string | undefined,
  { kind, since, until, text, phase, repository, limit }: ValuesOf<typeof options>,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const source = 'archive'
  const query = { namespace, kind, since, until, text, phase, repository, limit, source }
  const { items, next } = await api.json<Listed>(pathWith('/v1/runs', query))
  const rows = items.map((run) => [
    ...[run.namespace, run.kind, run.name, run.of ?? '-', run.phase ?? '-', run.finishedAt ?? '-'],
  ])
  const header = ['NAMESPACE', 'KIND', 'NAME', 'OF', 'PHASE', 'FINISHED']
  if (rows.length === 0) stderr.write('No runs found in the archive.\n')
  else stdout.write(columns([header, ...rows]))
  if (next !== undefined) stderr.write('There are more: raise --limit.\n')
  return exitCode.done
}
