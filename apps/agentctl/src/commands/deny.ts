import { decideRequest } from '../approvals/decide.ts'
import { decisionOptions } from '../approvals/decision-options.ts'
import { defineCommand } from '../cli/command.ts'
import { withCluster } from '../cluster/open-cluster.ts'

export const denyCommand = defineCommand({
  about:
    'Shows what would run and asks, then denies it as the user of this command. A single denial denies: the run fails.',
  arguments: [{ name: 'REQUEST|RUN', offers: { namesOf: 'approvalrequests' } }],
  options: decisionOptions,
  examples: [
    {
      does: 'deny a run, and say why',
      line: 'agentctl deny first-run --comment postponed',
    },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [name = ''] = positionals
      const { comment, yes } = values
      return await decideRequest(
        client,
        { namespace, name, decision: 'Deny', comment, yes },
        context,
      )
    }),
})
