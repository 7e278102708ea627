import { defineCommand, type ValuesOf } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { columns } from '../cli/text-table.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { openServer, pathWith, type ServerApi } from '../server-api/open-server.ts'
import { serverOptions } from '../server-api/server-options.ts'

interface Delivery {
  readonly id: string
  readonly namespace: string
  readonly source: string
  readonly provider: string
  readonly event: string
  readonly deliveryId?: string
  readonly subject: string
  readonly sizeBytes: number
  readonly state: string
  readonly attempts: number
  readonly reason?: string
  readonly receivedAt: string
  readonly processedAt?: string
  readonly nextAttemptAt?: string
}

const options = {
  'all-namespaces': { type: 'boolean', short: 'A', help: 'With list: of all namespaces.' },
  source: { type: 'string', value: 'NAME', help: 'With list: only those of this source.' },
  state: {
    type: 'string',
    value: 'STATE',
    choices: ['waiting', 'done', 'dead'],
    help: 'With list: only those in this state.',
  },
  limit: {
    type: 'string',
    value: 'COUNT',
    help: 'With list: how many deliveries. Defaults to 100.',
  },
  ...serverOptions,
  ...clusterOptions,
} as const

const subcommands = ['list', 'show', 'replay']

export const inboxCommand = defineCommand({
  about:
    'list shows deliveries of issue trackers for ImplementationSources, newest first, and what became of them; show shows one. A delivery that failed\n' +
    'too often is dead: replay lets it be processed again. The content of deliveries is not shown. list and show need the right to list\n' +
    'ImplementationSources, replay that to update the source of the delivery.',
  arguments: [
    { name: 'list|show|replay', offers: subcommands },
    { name: 'ID', optional: true },
  ],
  options,
  examples: [
    { does: 'see what failed', line: 'agentctl inbox list --state dead' },
    { does: 'process a delivery again', line: 'agentctl inbox replay 42' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ connection, namespace }) => {
      const [word = '', id] = positionals
      if (!subcommands.includes(word)) {
        const given = JSON.stringify(word)
        throw usageFailure(`unknown subcommand ${given}: use agentctl inbox list, show or replay`)
      }
      if (word === 'list' ? id !== undefined : !/^[1-9][0-9]{0,17}$/.test(id ?? '')) {
        throw usageFailure(
          word === 'list'
            ? 'list takes no identifier: use agentctl inbox show ID'
            : `the identifier of a delivery is missing: agentctl inbox ${word} ID, as list shows it`,
        )
      }
      const api = await openServer(connection, values, context)
      if (word === 'list') return await list(api, namespace, values, context)
      const path = `/v1/inbox/${namespace}/${id}`
      if (word === 'show') {
        context.stdout.write(described(await api.json<Delivery>(path)))
        return exitCode.done
      }
      const { subject } = await api.json<Delivery>(`${path}/replay`, { method: 'POST' })
      context.stdout.write(`delivery ${id} about ${subject} will be processed again\n`)
      return exitCode.done
    }),
})

async function list(
  api: ServerApi,
  own: string,
  { source, state, limit, ...values }: ValuesOf<typeof options>,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const namespace = values['all-namespaces'] ? undefined : own
  const path = pathWith('/v1/inbox', { namespace, source, state, limit })
  const { items, next } = await api.json<{ items: Delivery[]; next?: string }>(path)
  const rows = items.map((one) => [
    ...[one.id, one.namespace, one.source, one.event, one.subject, one.receivedAt],
    ...[one.state, String(one.attempts), one.reason ?? '-'],
  ])
  const header = [
    ...['ID', 'NAMESPACE', 'SOURCE', 'EVENT', 'SUBJECT', 'RECEIVED'],
    ...['STATE', 'ATTEMPTS', 'REASON'],
  ]
  if (rows.length === 0) stderr.write('No deliveries found.\n')
  else stdout.write(columns([header, ...rows]))
  if (next !== undefined) stderr.write('There are more: raise --limit.\n')
  return exitCode.done
}

function described(one: Delivery): string {
  return columns([
    ['Source:', `${one.namespace}/${one.source}`],
    ['Provider:', one.provider],
    ['Event:', one.event],
    ['Subject:', one.subject],
    ['Delivery:', one.deliveryId ?? '-'],
    ['Size:', `${one.sizeBytes} bytes`],
    ['State:', one.state],
    ['Attempts:', String(one.attempts)],
    ['Received:', one.receivedAt],
    ['Processed:', one.processedAt ?? '-'],
    ['Next attempt:', one.nextAttemptAt ?? '-'],
    ['Reason:', one.reason ?? '-'],
  ])
}
