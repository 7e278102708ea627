import { defineCommand } from '../cli/command.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { objectName } from '../cluster/show-objects.ts'
import { OrchestrationRunKind, resumedRun } from '../graph/compose-orchestration-run.ts'
import { followSteps } from '../graph/follow-steps.ts'
import type { ShownRun } from '../run/run-kind.ts'
import { outcomeOf } from '../run/run-outcome.ts'

export const rerunCommand = defineCommand({
  about:
    'Creates another OrchestrationRun of the same Orchestration and follows it. Steps that succeeded with the same inputs are taken over with their outputs; all others run again.',
  arguments: [{ name: 'RUN', offers: { namesOf: 'orchestrationruns' } }],
  options: {
    from: {
      type: 'string',
      multiple: true,
      value: 'STEP',
      help: 'Step that runs again in any case, with all that depend on it.',
    },
    'no-wait': { type: 'boolean', help: 'Create the run, print its name and return.' },
    quiet: { type: 'boolean', short: 'q', help: 'Print only the changes of steps.' },
    ...clusterOptions,
  },
  examples: [
    { does: 'continue after a failure', line: 'agentctl rerun nightly-1' },
    { does: 'repeat a step and what follows', line: 'agentctl rerun nightly-1 --from review' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [name = ''] = positionals
      const { stop: signal } = context
      const before = await client.get(OrchestrationRunKind, { namespace, name }, { signal })
      if (outcomeOf(before as unknown as ShownRun) === undefined) {
        throw new CommandFailure(`${name} has not ended; only a finished run can be resumed`, {
          code: exitCode.failed,
        })
      }
      const wanted = resumedRun(before, values.from)
      const run = await client.create(OrchestrationRunKind, wanted, { signal })
      if (values['no-wait']) {
        context.stdout.write(`${objectName(run)}\n`)
        return exitCode.done
      }
      if (!values.quiet) context.stderr.write(`${objectName(run)} created\n`)
      return await followSteps(client, run.metadata, context, {
        waitMs: undefined,
        quiet: values.quiet,
      })
    }),
})
