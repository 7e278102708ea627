import { defineCommand, type ValuesOf } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { columns } from '../cli/text-table.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { openServer, pathWith, type ServerApi } from '../server-api/open-server.ts'
import { serverOptions } from '../server-api/server-options.ts'

interface Entry {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly namespace: string | null
  readonly name: string | null
  readonly outcome: string
  readonly code: number
}

interface Verdict {
  readonly ok: boolean
  readonly entries: number
  readonly head: { readonly seq: number; readonly hash: string }
  readonly problem?: string
}

const options = {
  actor: { type: 'string', value: 'USER', help: 'With list: only acts of this user.' },
  action: { type: 'string', value: 'OPERATION', help: 'With list: only this operation.' },
  outcome: {
    type: 'string',
    value: 'OUTCOME',
    choices: ['allowed', 'denied', 'failed'],
    help: 'With list: only acts that ended so.',
  },
  limit: { type: 'string', value: 'COUNT', help: 'With list: how many entries. Defaults to 100.' },
  anchor: {
    type: 'string',
    value: 'SEQ:HASH',
    help: 'With verify: what an earlier call printed, which must still be there.',
  },
  ...serverOptions,
  ...clusterOptions,
  namespace: { ...clusterOptions.namespace, help: 'With list: only acts in this namespace.' },
} as const

export const auditCommand = defineCommand({
  about:
    'list shows what callers of the HTTP API did, newest first. verify reads the whole log and says whether an entry was changed, removed or moved;\n' +
    'it prints an anchor to keep elsewhere, since whoever may write to the database can write a new log. Both need the right to list auditevents.',
  arguments: [{ name: 'list|verify', offers: ['list', 'verify'] }],
  options,
  examples: [
    { does: 'see what was denied', line: 'agentctl audit list --outcome denied' },
    { does: 'check that nobody changed the log', line: 'agentctl audit verify' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ connection }) => {
      const [word = ''] = positionals
      if (word !== 'list' && word !== 'verify') {
        const given = JSON.stringify(word)
        throw usageFailure(`unknown subcommand ${given}: use agentctl audit list or verify`)
      }
      const api = await openServer(connection, values, context)
      return word === 'list' ? await list(api, values, context) : await verify(api, values, context)
    }),
})

async function list(
  api: ServerApi,
  { namespace, actor, action, outcome, limit }: ValuesOf<typeof options>,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const path = pathWith('/v1/audit', { namespace, actor, action, outcome, limit })
  const { items, next } = await api.json<{ items: Entry[]; next?: number }>(path)
  const rows = items.map((entry) => [
    ...[String(entry.seq), entry.at, entry.actor || '-', entry.action],
    [entry.namespace, entry.name].filter(Boolean).join('/') || '-',
    ...[entry.outcome, String(entry.code)],
  ])
  const header = ['SEQ', 'TIME', 'ACTOR', 'ACTION', 'OBJECT', 'OUTCOME', 'CODE']
  if (rows.length === 0) stderr.write('No entries found.\n')
  else stdout.write(columns([header, ...rows]))
  if (next !== undefined) stderr.write(`There are more, before ${next}: raise --limit.\n`)
  return exitCode.done
}

async function verify(
  api: ServerApi,
  { anchor }: ValuesOf<typeof options>,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const path = pathWith('/v1/audit/verify', { anchor })
  const { ok, entries, head, problem } = await api.json<Verdict>(path)
  if (!ok) {
    stderr.write(`The audit is not whole: ${problem}. The ${entries} entries before it fit.\n`)
    return exitCode.failed
  }
  stderr.write(`The audit is whole: ${entries} entries. Its anchor, to keep elsewhere:\n`)
  stdout.write(`${head.seq}:${head.hash}\n`)
  return exitCode.done
}
