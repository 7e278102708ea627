import { type GitTarget, gitTarget } from '@agents/gittarget-api'
import { kindRef } from '@agents/kube'
import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { visibleJson } from '../cli/terminal-text.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { renderTarget } from '../mirror/render-target.ts'

export const gitTargetCommand = defineCommand({
  about:
    'status shows every condition of a GitTarget with its reason, the last commit, and the number of changes to be pushed. diff compares the folder with the cluster, without writing anything, and exits with 1 if they differ; Secrets are not compared.',
  arguments: [
    { name: 'status|diff', offers: ['status', 'diff'] },
    { name: 'NAME', optional: true },
  ],
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      choices: ['json'],
      help: 'Output format. If omitted, text is printed.',
    },
    ...clusterOptions,
  },
  examples: [
    { does: 'show all mirrors of the namespace', line: 'agentctl gittarget status' },
    { does: 'show one mirror', line: 'agentctl gittarget status mirror' },
    { does: 'show where Git and the cluster differ', line: 'agentctl gittarget diff mirror' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [word = '', name] = positionals
      if (word !== 'status' && word !== 'diff')
        throw usageFailure(
          `unknown subcommand ${JSON.stringify(word)}: use agentctl gittarget status or diff`,
        )
      if (word === 'diff' && name === undefined)
        throw usageFailure('the name of a GitTarget is missing: agentctl gittarget diff NAME')
      const kind = kindRef<GitTarget>(gitTarget)
      const options = { signal: context.stop }
      const targets =
        name === undefined
          ? (await client.list(kind, { namespace, ...options })).items
          : [await client.get(kind, { namespace, name }, options)]
      if (targets.length === 0 && values.output === undefined) {
        context.stderr.write(
          `No GitTargets found in namespace ${namespace}. To mirror the platform of this machine: agentctl up --mirror FOLDER\n`,
        )
      }
      const { stdout } = context
      const [first] = targets
      if (word === 'diff' && first !== undefined) {
        const { differencesOf, renderDifferences } = await import('../mirror/show-differences.ts')
        const comparison = await differencesOf(first, client, context)
        if (values.output === 'json') {
          stdout.writeDocument(visibleJson(`${JSON.stringify(comparison, undefined, 2)}\n`))
        } else stdout.write(renderDifferences(comparison))
        return comparison.differences.length === 0 ? exitCode.done : exitCode.failed
      }
      if (values.output === 'json') {
        stdout.writeDocument(visibleJson(`${JSON.stringify(targets, undefined, 2)}\n`))
      } else {
        stdout.write(
          targets.map((one) => renderTarget(one, stdout.style, context.now())).join('\n'),
        )
      }
      return exitCode.done
    }),
})
