import { isFinished } from '@agents/status'
import { type ApprovalRequest, openRequests } from '../approvals/find-request.ts'
import { defineCommand } from '../cli/command.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { conditionOf } from '../cluster/wait-goal.ts'

export const approvalsCommand = defineCommand({
  about:
    'Lists the requests that wait for a decision, the one that expires first at the top. agentctl approve and agentctl deny show what would run.',
  options: {
    all: { type: 'boolean', help: 'Also list requests that were decided, expired or withdrawn.' },
    ...clusterOptions,
  },
  examples: [{ does: 'see what waits for a decision', line: 'agentctl approvals' }],
  run: ({ values }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const found = await openRequests(client, namespace, context.stop, { all: values.all })
      if (found.length === 0) {
        context.stderr.write('No request waits for a decision.\n')
        return exitCode.done
      }
      const header = ['NAME', 'RUN', 'POLICY', 'REQUESTED BY', 'DECISION', 'DEADLINE']
      context.stdout.write(aligned([header, ...found.map(rowOf)]))
      return exitCode.done
    }),
})

function rowOf(request: ApprovalRequest): string[] {
  const { metadata, spec, status } = request
  const { kind, name, step } = spec.subject
  const { reason = '', message = '' } = conditionOf(request, 'Succeeded') ?? {}
  return [
    metadata.name,
    `${kind.toLowerCase()}/${name}${step === undefined ? '' : ` step ${step}`}`,
    spec.policyRef.name,
    spec.requestedBy ?? 'unknown',
    isFinished(status?.conditions) ? `${reason}: ${message}` : `pending: ${message}`,
    spec.deadline ?? '-',
  ]
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  return rows
    .map((row) => row.map((cell, at) => cell.padEnd((widths[at] ?? 0) + 2)).join(''))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}
