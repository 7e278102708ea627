import { decideRequest } from '../approvals/decide.ts'
import { decisionOptions } from '../approvals/decision-options.ts'
import { defineCommand } from '../cli/command.ts'
import { withCluster } from '../cluster/open-cluster.ts'

export const approveCommand = defineCommand({
  about:
    'Shows what would run and asks, then approves it as the user of this command. The approval is for exactly what was shown: if any of it changes, another one is needed.',
  arguments: [{ name: 'REQUEST|RUN', offers: { namesOf: 'approvalrequests' } }],
  options: decisionOptions,
  examples: [{ does: 'approve the run that waits', line: 'agentctl approve first-run' }],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [name = ''] = positionals
      const { comment, yes } = values
      return await decideRequest(
        client,
        { namespace, name, decision: 'Approve', comment, yes },
        context,
      )
    }),
})
