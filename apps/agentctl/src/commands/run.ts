import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AgentRun } from '@agents/jangar-api'
import { defineCommand } from '../cli/command.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
import type { World } from '../cli/world.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { readManifests } from '../cluster/read-manifests.ts'
import { type ObjectFormat, objectName, showObjects } from '../cluster/show-objects.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { composeRun } from '../run/compose-run.ts'
import { followRun } from '../run/follow-run.ts'
import { AgentRunKind } from '../run/run-kind.ts'

export const runCommand = defineCommand({
  name: 'run',
  summary: 'Give work to an agent and follow it to the end',
  about:
    'Progress goes to the error output, what the agent says to the standard output. The exit code is the outcome: 0 succeeded,\n' +
    '1 failed, 4 cancelled, 124 when --wait-timeout ran out. Ctrl-C leaves the run alone: agentctl cancel stops it.',
  options: {
    agent: {
      type: 'string',
      short: 'a',
      value: 'NAME',
      offers: { namesOf: 'agents' },
      help: 'The Agent that does it.',
    },
    text: {
      type: 'string',
      short: 't',
      value: 'TEXT',
      help: 'What to do, in words; @FILE reads a file, - the standard input.',
    },
    spec: {
      type: 'string',
      short: 's',
      value: 'NAME',
      offers: { namesOf: 'implementationspecs' },
      help: 'The ImplementationSpec that says what to do.',
    },
    param: {
      type: 'string',
      short: 'p',
      multiple: true,
      value: 'KEY=VALUE',
      help: 'A parameter of the run.',
    },
    file: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      help: 'Begin with the AgentRun in this file; flags outrank it.',
    },
    name: {
      type: 'string',
      value: 'NAME',
      help: 'Name of the run; else the agent’s name and a few letters.',
    },
    image: { type: 'string', value: 'IMAGE', help: 'Image to run it in; else the platform’s own.' },
    timeout: {
      type: 'string',
      value: 'TIME',
      help: 'How long the run may take once it has started, such as 10m.',
    },
    'wait-timeout': {
      type: 'string',
      value: 'TIME',
      help: 'How long to follow it; else to the end.',
    },
    wait: { type: 'boolean', help: 'Follow it to the end; this is what happens anyway.' },
    'no-wait': { type: 'boolean', help: 'Only create it, and print its name.' },
    quiet: { type: 'boolean', short: 'q', help: 'Show what the agent says and nothing else.' },
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      choices: ['json', 'yaml', 'name'],
      help: 'How to print the run with --no-wait; else its name.',
    },
    ...clusterOptions,
  },
  examples: [
    {
      does: 'ask an agent for something, and see what it does',
      line: 'agentctl run --agent scripted --text "Greet the reader"',
    },
    {
      does: 'with parameters, without waiting',
      line: 'agentctl run -a scripted -s hello -p stage=test --no-wait',
    },
  ],
  run: (input, world) =>
    withCluster(input.values, world, async ({ client, namespace }) => {
      const { values } = input
      if (values.output !== undefined && !values['no-wait']) {
        throw usageFailure(
          '-o prints the run that was created, and what its agent says would come between',
          'Use it with --no-wait, or look at the run afterwards: agentctl get run NAME -o json',
        )
      }
      const [text, base] = await Promise.all([
        textOf(values.text, world),
        baseOf(values.file, values.namespace, world),
      ])
      const waitMs = timeOf('--wait-timeout', values['wait-timeout'])
      const wanted = composeRun(
        {
          name: values.name,
          agent: values.agent,
          text,
          spec: values.spec,
          image: values.image,
          parameters: values.param,
          timeoutMs: timeOf('--timeout', values.timeout),
        },
        namespace,
        base,
      )
      const run = await client.create(AgentRunKind, wanted, {
        fieldValidation: 'Strict',
        signal: world.stop,
      })
      if (values['no-wait']) {
        world.stdout.write(showObjects([run], (values.output ?? 'name') as ObjectFormat, true))
        return exitCode.done
      }
      if (!values.quiet) world.stderr.write(`${objectName(run)} created\n`)
      const leave = {
        what: `the run ${run.metadata.name}`,
        advice: [`It goes on without you. To stop it: agentctl cancel ${run.metadata.name}`],
      }
      const outcome = await stoppable(world, waitMs, leave, (signal) =>
        followRun(client, run.metadata, world, { quiet: values.quiet, signal }),
      )
      return outcome.code
    }),
})

async function textOf(given: string | undefined, world: World): Promise<string | undefined> {
  if (given === '-') return world.readStdin()
  if (given === undefined || !given.startsWith('@')) return given
  const path = resolve(world.workingDirectory, given.slice(1))
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new CommandFailure(`${path} cannot be read`, { code: exitCode.usage, cause })
  })
  // No program can be given a text with a zero in it, and no server keeps what is not UTF-8.
  if (!isUtf8(bytes) || bytes.includes(0)) throw usageFailure(`${path} is no text in UTF-8`)
  return bytes.toString('utf8')
}

async function baseOf(
  file: string | undefined,
  namespace: string | undefined,
  world: World,
): Promise<AgentRun | undefined> {
  if (file === undefined) return undefined
  const found = await readManifests(file, world)
  const [run, ...more] = found.filter(({ kind }) => kind === 'AgentRun')
  if (run === undefined || more.length > 0) {
    throw usageFailure(
      `${file} must hold one AgentRun, and holds ${found.filter(({ kind }) => kind === 'AgentRun').length}`,
    )
  }
  const metadata = { ...run.metadata, ...(namespace !== undefined && { namespace }) }
  return { ...(run as AgentRun), metadata }
}

function timeOf(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(flag, text)
}
