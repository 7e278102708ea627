import { type GitTarget, gitTarget } from '@agents/gittarget-api'
import { kindRef } from '@agents/kube'
import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { renderTarget } from '../mirror/render-target.ts'

export const gitTargetCommand = defineCommand({
  name: 'gittarget',
  summary: 'Say how mirrors into Git stand',
  about: 'Each gate of a GitTarget with its reason, the last commit, and what waits to be pushed.',
  arguments: [
    { name: 'status', offers: ['status'] },
    { name: 'NAME', optional: true },
  ],
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      choices: ['json'],
      help: 'How to show it; else as text.',
    },
    ...clusterOptions,
  },
  examples: [
    { does: 'all mirrors of the namespace', line: 'agentctl gittarget status' },
    { does: 'one of them', line: 'agentctl gittarget status mirror' },
  ],
  run: ({ values, positionals }, world) =>
    withCluster(values, world, async ({ client, namespace }) => {
      const [word = '', name] = positionals
      if (word !== 'status')
        throw usageFailure(`there is no agentctl gittarget ${word}; try status`)
      const kind = kindRef<GitTarget>(gitTarget)
      const options = { signal: world.stop }
      const targets =
        name === undefined
          ? (await client.list(kind, { namespace, ...options })).items
          : [await client.get(kind, { namespace, name }, options)]
      if (targets.length === 0 && values.output === undefined) {
        world.stderr.write(
          `There are no GitTargets in ${namespace}. For one of this machine's platform: agentctl up --mirror FOLDER\n`,
        )
      }
      const { stdout } = world
      stdout.write(
        values.output === 'json'
          ? `${JSON.stringify(targets, undefined, 2)}\n`
          : targets.map((one) => renderTarget(one, stdout.style, world.now())).join('\n'),
      )
      return exitCode.done
    }),
})
