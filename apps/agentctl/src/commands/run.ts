import type { AgentRun, OrchestrationRun, ToolRun } from '@agents/jangar-api'
import type { KubeClient, KubeObject } from '@agents/kube'
import { defineCommand, type Options, type ValuesOf } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
import { textArgument } from '../cli/text-argument.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { readManifests } from '../cluster/read-manifests.ts'
import { type ObjectFormat, objectName, showObjects } from '../cluster/show-objects.ts'
import { stoppable } from '../cluster/stoppable.ts'
import {
  composeOrchestrationRun,
  OrchestrationRunKind,
} from '../graph/compose-orchestration-run.ts'
import { followSteps } from '../graph/follow-steps.ts'
import { checkNames, checkTool } from '../run/check-names.ts'
import { composeRun } from '../run/compose-run.ts'
import { composeToolRun } from '../run/compose-tool-run.ts'
import { followRun } from '../run/follow-run.ts'
import { AgentRunKind, agentRuns, ToolRunKind, toolRuns } from '../run/run-kind.ts'
import { rawOption } from '../transcript/raw-option.ts'

const options = {
  agent: {
    type: 'string',
    short: 'a',
    value: 'NAME',
    offers: { namesOf: 'agents' },
    help: 'Agent that runs the task.',
  },
  tool: {
    type: 'string',
    value: 'NAME',
    offers: { namesOf: 'tools' },
    help: 'Tool to run, instead of an agent: creates a ToolRun.',
  },
  orchestration: {
    type: 'string',
    value: 'NAME',
    offers: { namesOf: 'orchestrations' },
    help: 'Orchestration to run, instead of an agent: creates an OrchestrationRun.',
  },
  text: {
    type: 'string',
    short: 't',
    value: 'TEXT',
    help: 'Task for the agent; @FILE reads a file, - reads standard input.',
  },
  spec: {
    type: 'string',
    short: 's',
    value: 'NAME',
    offers: { namesOf: 'implementationspecs' },
    help: 'ImplementationSpec with the task.',
  },
  param: {
    type: 'string',
    short: 'p',
    multiple: true,
    value: 'KEY=VALUE',
    help: 'Parameter of the run.',
  },
  secret: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    offers: { namesOf: 'secrets' },
    help: 'Secret whose keys are environment variables of the agent.',
  },
  repo: {
    type: 'string',
    value: 'OWNER/NAME',
    help: 'Repository to work in. Defaults to that of the agent.',
  },
  branch: { type: 'string', value: 'NAME', help: 'Branch to push the work to.' },
  base: { type: 'string', value: 'NAME', help: 'Branch to base the work on.' },
  model: {
    type: 'string',
    value: 'NAME',
    help: 'Model that the agent uses. Defaults to that of the agent.',
  },
  retries: { type: 'string', value: 'COUNT', help: 'Number of retries after a failure.' },
  priority: {
    type: 'string',
    value: 'NUMBER',
    help: 'Priority in the queue; higher values go first.',
  },
  label: {
    type: 'string',
    short: 'l',
    multiple: true,
    value: 'KEY=VALUE',
    help: 'Label of the run.',
  },
  file: {
    type: 'string',
    short: 'f',
    value: 'FILE',
    help: 'Start from the AgentRun in this file; flags override it.',
  },
  name: {
    type: 'string',
    value: 'NAME',
    help: 'Name of the run. Defaults to the name of the agent, or generateName of the file, with a random suffix.',
  },
  'wait-for-agent': {
    type: 'boolean',
    help: 'Create the run even if its agent, or something else that it names, does not exist yet.',
  },
  image: {
    type: 'string',
    value: 'IMAGE',
    help: 'Image to run in. Defaults to the runner image of the platform.',
  },
  timeout: {
    type: 'string',
    value: 'TIME',
    help: 'Timeout of the run from its start, such as 10m.',
  },
  'wait-timeout': {
    type: 'string',
    value: 'TIME',
    help: 'How long to follow the run. If omitted, until it ends.',
  },
  wait: { type: 'boolean', help: 'Follow the run until it ends. This is the default.' },
  'no-wait': { type: 'boolean', help: 'Create the run, print its name and return.' },
  quiet: { type: 'boolean', short: 'q', help: 'Print only the output of the agent.' },
  raw: rawOption,
  output: {
    type: 'string',
    short: 'o',
    value: 'FORMAT',
    choices: ['json', 'yaml', 'name'],
    help: 'Format of the run with --no-wait. Defaults to name.',
  },
  ...clusterOptions,
} satisfies Options

export const runCommand = defineCommand({
  about:
    'The output of the agent goes to standard output, progress to standard error. The exit code is the outcome: 0 succeeded,\n' +
    '1 failed, 4 cancelled, 124 --wait-timeout exceeded. Ctrl-C does not stop the run; agentctl cancel does.',
  options,
  examples: [
    {
      does: 'run a task and follow it',
      line: 'agentctl run --agent scripted --text "Greet the reader"',
    },
    {
      does: 'work in a repository, with a key for the model',
      line: 'agentctl run -a codex -t "Fix the flaky test" --repo team/shop --branch fix/flaky --secret openai',
    },
    {
      does: 'run a tool with a parameter',
      line: 'agentctl run --tool sample -p greeting=Hello',
    },
    {
      does: 'run an Orchestration and follow its steps',
      line: 'agentctl run --orchestration nightly -p stage=test',
    },
    {
      does: 'pass parameters, without waiting',
      line: 'agentctl run -a scripted -s hello -p stage=test --no-wait',
    },
  ],
  run: (input, context) =>
    withCluster(input.values, context, async ({ client, namespace }) => {
      const { values } = input
      if (values.output !== undefined && !values['no-wait']) {
        throw usageFailure(
          '-o requires --no-wait: otherwise the output of the agent is printed',
          'To print the run after it has ended: agentctl get run NAME -o json',
        )
      }
      const waitMs = timeOf('--wait-timeout', values['wait-timeout'])
      if (values.orchestration !== undefined) {
        const made = await createOrchestrationRun(client, namespace, values, context)
        if (showCreated(made, values, context)) return exitCode.done
        return await followSteps(client, made.metadata, context, { waitMs, quiet: values.quiet })
      }
      const { of, run } =
        values.tool === undefined
          ? { of: agentRuns, run: await createRun(client, namespace, values, context) }
          : { of: toolRuns, run: await createToolRun(client, namespace, values, context) }
      if (showCreated(run, values, context)) return exitCode.done
      const leave = {
        what: `run ${run.metadata.name}`,
        advice: [
          `The run continues. To cancel it: agentctl cancel ${of.argument(run.metadata.name)}`,
        ],
      }
      const outcome = await stoppable(context, waitMs, leave, (signal) =>
        followRun(client, run.metadata, context, {
          of,
          quiet: values.quiet,
          raw: values.raw,
          signal,
        }),
      )
      return outcome.code
    }),
})

type Values = ValuesOf<typeof options>

async function createRun(
  client: KubeClient,
  namespace: string,
  values: Values,
  context: CommandContext,
): Promise<AgentRun> {
  const [text, base] = await Promise.all([
    textArgument(values.text, context),
    baseOf(values.file, values.namespace, context),
  ])
  const wanted = composeRun(
    {
      name: values.name,
      agent: values.agent,
      text,
      spec: values.spec,
      image: values.image,
      parameters: values.param,
      timeoutMs: timeOf('--timeout', values.timeout),
      secrets: values.secret,
      repository: values.repo,
      branch: values.branch,
      base: values.base,
      model: values.model,
      retries: values.retries,
      priority: values.priority,
      labels: values.label,
    },
    namespace,
    base,
  )
  if (!values['wait-for-agent']) {
    const needsRepository = (values.repo ?? values.branch ?? values.base) !== undefined
    await checkNames(client, wanted, context.stop, needsRepository)
  }
  return client.create(AgentRunKind, wanted, strictly(context))
}

async function createToolRun(
  client: KubeClient,
  namespace: string,
  values: Values,
  context: CommandContext,
): Promise<ToolRun> {
  const { agent, text, spec, secret, repo, branch, base, model, file, image } = values
  const wanted = composeToolRun(
    {
      tool: values.tool ?? '',
      name: values.name,
      parameters: values.param,
      timeoutMs: timeOf('--timeout', values.timeout),
      retries: values.retries,
      priority: values.priority,
      labels: values.label,
      others: { agent, text, spec, secret, repo, branch, base, model, file, image },
    },
    namespace,
  )
  if (!values['wait-for-agent']) await checkTool(client, wanted, context.stop)
  return client.create(ToolRunKind, wanted, strictly(context))
}

/** Shows the run that was created. Returns whether that is all that was asked for. */
function showCreated(run: KubeObject, values: Values, context: CommandContext): boolean {
  if (values['no-wait']) {
    const format = (values.output ?? 'name') as ObjectFormat
    context.stdout.writeDocument(showObjects([run], format, true))
    return true
  }
  if (!values.quiet) context.stderr.write(`${objectName(run)} created\n`)
  return false
}

async function createOrchestrationRun(
  client: KubeClient,
  namespace: string,
  values: Values,
  context: CommandContext,
): Promise<OrchestrationRun> {
  const { agent, tool, text, spec, secret, repo, branch, base, model, retries, file, image } =
    values
  const wanted = composeOrchestrationRun(
    {
      orchestration: values.orchestration ?? '',
      name: values.name,
      parameters: values.param,
      timeoutMs: timeOf('--timeout', values.timeout),
      priority: values.priority,
      labels: values.label,
      others: { agent, tool, text, spec, secret, repo, branch, base, model, retries, file, image },
    },
    namespace,
  )
  return client.create(OrchestrationRunKind, wanted, strictly(context))
}

function strictly({ stop }: CommandContext) {
  return { fieldValidation: 'Strict', signal: stop } as const
}

async function baseOf(
  file: string | undefined,
  namespace: string | undefined,
  context: CommandContext,
): Promise<AgentRun | undefined> {
  if (file === undefined) return undefined
  const found = await readManifests(file, context, { nameless: true })
  const [run, ...more] = found.filter(({ kind }) => kind === 'AgentRun')
  if (run === undefined || more.length > 0) {
    throw usageFailure(
      `${file} must contain exactly one AgentRun, but contains ${found.filter(({ kind }) => kind === 'AgentRun').length}`,
    )
  }
  const metadata = { ...run.metadata, ...(namespace !== undefined && { namespace }) }
  return { ...(run as AgentRun), metadata }
}

function timeOf(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(flag, text)
}
