import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { columns } from '../cli/text-table.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { openServer, pathWith } from '../server-api/open-server.ts'
import { serverOptions } from '../server-api/server-options.ts'

interface Sums {
  readonly items: readonly {
    readonly group: string
    readonly runs: number
    readonly tokens: number
    readonly dollars: string
    readonly unpricedTokens: number
  }[]
}

const groups = ['agent', 'namespace', 'model', 'day', 'label']

export const usageCommand = defineCommand({
  about:
    'Sums up what runs have used, the most first: also those that are deleted, and those that work as far as they have reported. Needs the right\n' +
    'to list AgentRuns in the namespace or, with -A, in the cluster.',
  options: {
    by: {
      type: 'string',
      value: 'GROUP',
      choices: groups,
      help: 'What is summed up. Defaults to agent. Days are those of UTC.',
    },
    label: { type: 'string', value: 'KEY', help: 'The label, with --by label.' },
    model: { type: 'string', value: 'NAME', help: 'Only what this model has used.' },
    since: { type: 'string', value: 'TIME', help: 'Only what was used then or later.' },
    until: { type: 'string', value: 'TIME', help: 'Only what was used before.' },
    csv: { type: 'boolean', help: 'Print a table for spreadsheets.' },
    'all-namespaces': { type: 'boolean', short: 'A', help: 'Runs of all namespaces.' },
    ...serverOptions,
    ...clusterOptions,
  },
  examples: [
    { does: 'see which agents cost most', line: 'agentctl usage' },
    { does: 'see which models cost most', line: 'agentctl usage --by model' },
    { does: 'see each day of all teams', line: 'agentctl usage -A --by day --csv' },
  ],
  run: ({ values }, context) =>
    withCluster(values, context, async ({ connection, namespace: own }) => {
      const { by = 'agent', label, model, since, until } = values
      if ((by === 'label') !== (label !== undefined)) {
        throw usageFailure('--label is for --by label, and required there')
      }
      const { stdout, stderr } = context
      const namespace = values['all-namespaces'] ? undefined : own
      const query = { namespace, by, label, model, since, until }
      const api = await openServer(connection, values, context)
      if (values.csv) {
        for await (const piece of await api.open(pathWith('/v1/usage.csv', query))) {
          await stdout.pour(piece as Uint8Array)
        }
        return exitCode.done
      }
      const { items } = await api.json<Sums>(pathWith('/v1/usage', query))
      const rows = items.map(({ group, runs, tokens, dollars, unpricedTokens }) => [
        ...[group || '-', String(runs), String(tokens), `$${dollars}`, String(unpricedTokens)],
      ])
      const header = [by.toUpperCase(), 'RUNS', 'TOKENS', 'COST', 'UNPRICED TOKENS']
      if (rows.length === 0) stderr.write('No run has used anything.\n')
      else stdout.write(columns([header, ...rows]))
      return exitCode.done
    }),
})
