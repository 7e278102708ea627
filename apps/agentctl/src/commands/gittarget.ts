import { type GitTarget, gitTarget } from '@agents/gittarget-api'
import { type KubeClient, kindRef } from '@agents/kube'
import { defineCommand, type ValuesOf } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { visibleJson } from '../cli/terminal-text.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { renderTarget } from '../mirror/render-target.ts'

const restoreOptions = {
  revision: {
    type: 'string',
    value: 'COMMIT',
    help: 'restore: commit of the branch, by its id or as HEAD~1. Defaults to the newest.',
  },
  'dry-run': { type: 'boolean', help: 'restore: show what would change, without writing.' },
  yes: { type: 'boolean', short: 'y', help: 'restore: do not ask for confirmation.' },
  'force-conflicts': {
    type: 'boolean',
    help: 'restore: take over fields that other managers own, such as those of Helm.',
  },
  'age-key-file': {
    type: 'string',
    value: 'FILE',
    help: 'restore: age key that decrypts Secrets. Defaults to the keys that sops uses: SOPS_AGE_KEY, SOPS_AGE_KEY_FILE, ~/.config/sops/age/keys.txt.',
  },
} as const

const subcommands = ['status', 'diff', 'restore'] as const
type Subcommand = (typeof subcommands)[number]

export const gitTargetCommand = defineCommand({
  about:
    'status shows every condition of a GitTarget with its reason, the last commit, and the number of changes to be pushed. diff compares the folder with the cluster, without writing anything, and exits with 1 if they differ; Secrets are not compared. restore applies what was mirrored to the cluster, all or the named objects, with your rights; it shows the changes and asks first.',
  arguments: [
    { name: 'status|diff|restore', offers: subcommands },
    { name: 'NAME', optional: true, offers: { namesOf: 'gittargets' } },
    { name: 'KIND/NAME', optional: true, rest: true },
  ],
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      choices: ['json'],
      help: 'Output format. If omitted, text is printed.',
    },
    ...restoreOptions,
    ...clusterOptions,
  },
  examples: [
    { does: 'show all mirrors of the namespace', line: 'agentctl gittarget status' },
    { does: 'show one mirror', line: 'agentctl gittarget status mirror' },
    { does: 'show where Git and the cluster differ', line: 'agentctl gittarget diff mirror' },
    {
      does: 'show what a restore of everything would change',
      line: 'agentctl gittarget restore mirror --dry-run',
    },
    {
      does: 'get back an object that was deleted with the last commit',
      line: 'agentctl gittarget restore mirror configmap/settings --revision HEAD~1',
    },
  ],
  run: ({ values, positionals }, context) => {
    const [word = '', name, ...objects] = positionals
    const subcommand = checked(word, name, objects, values)
    return withCluster(values, context, async ({ client, namespace }) => {
      const kind = kindRef<GitTarget>(gitTarget)
      const options = { signal: context.stop }
      if (name === undefined) {
        const { items } = await client.list(kind, { namespace, ...options })
        return showStatus(items, namespace, values.output, context)
      }
      const target = await client.get(kind, { namespace, name }, options)
      if (subcommand === 'status') return showStatus([target], namespace, values.output, context)
      if (subcommand === 'diff') return showDifferences(target, client, values.output, context)
      const { restoreTarget } = await import('../restore/restore-target.ts')
      const request = {
        ...{ objects, revision: values.revision, dryRun: values['dry-run'], yes: values.yes },
        forceConflicts: values['force-conflicts'],
        ageKeyFile: values['age-key-file'],
        asJson: values.output === 'json',
      }
      return restoreTarget(target, client, request, context)
    })
  },
})

function checked(
  word: string,
  name: string | undefined,
  objects: readonly string[],
  values: ValuesOf<typeof restoreOptions>,
): Subcommand {
  const subcommand = subcommands.find((each) => each === word)
  if (subcommand === undefined) {
    throw usageFailure(
      `unknown subcommand ${JSON.stringify(word)}: use agentctl gittarget status, diff or restore`,
    )
  }
  if (subcommand !== 'status' && name === undefined) {
    throw usageFailure(`the name of a GitTarget is missing: agentctl gittarget ${subcommand} NAME`)
  }
  if (subcommand === 'restore') return subcommand
  const [more] = objects
  if (more !== undefined) {
    throw usageFailure(`unexpected argument ${JSON.stringify(more)} of agentctl gittarget ${word}`)
  }
  const flags = Object.keys(restoreOptions) as (keyof typeof restoreOptions)[]
  const foreign = flags.find((flag) => values[flag] !== undefined && values[flag] !== false)
  if (foreign !== undefined) {
    throw usageFailure(`--${foreign} is a flag of agentctl gittarget restore, not of ${word}`)
  }
  return subcommand
}

function showStatus(
  targets: readonly GitTarget[],
  namespace: string,
  output: string | undefined,
  { stdout, stderr, now }: CommandContext,
): number {
  if (output === 'json') {
    stdout.writeDocument(visibleJson(`${JSON.stringify(targets, undefined, 2)}\n`))
    return exitCode.done
  }
  if (targets.length === 0) {
    stderr.write(
      `No GitTargets found in namespace ${namespace}. To mirror the platform of this machine: agentctl up --mirror FOLDER\n`,
    )
  }
  stdout.write(targets.map((one) => renderTarget(one, stdout.style, now())).join('\n'))
  return exitCode.done
}

async function showDifferences(
  target: GitTarget,
  client: KubeClient,
  output: string | undefined,
  context: CommandContext,
): Promise<number> {
  const { differencesOf, renderDifferences } = await import('../mirror/show-differences.ts')
  const comparison = await differencesOf(target, client, context)
  if (output === 'json') {
    context.stdout.writeDocument(visibleJson(`${JSON.stringify(comparison, undefined, 2)}\n`))
  } else context.stdout.write(renderDifferences(comparison))
  return comparison.differences.length === 0 ? exitCode.done : exitCode.failed
}
