import type { SignalDelivery } from '@agents/jangar-api'
import { type KubeClient, kindRef, parseJson } from '@agents/kube'
import { isFinished } from '@agents/status'
import { defineCommand } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
import { textArgument } from '../cli/text-argument.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { platformKind } from '../cluster/known-kinds.ts'
import { observe } from '../cluster/observe.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { objectName } from '../cluster/show-objects.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { conditionOf } from '../cluster/wait-goal.ts'

const SignalDeliveryKind = kindRef<SignalDelivery>(platformKind('SignalDelivery'))

export const signalCommand = defineCommand({
  about:
    'The command creates a SignalDelivery, and returns when it was accepted. A payload that the schema of the signal refuses is an error. A delivery before its signal waits for it, also after this command has ended.',
  arguments: [{ name: 'SIGNAL', offers: { namesOf: 'signals' } }],
  options: {
    payload: {
      type: 'string',
      value: 'JSON',
      help: 'Payload; @FILE reads a file, - reads standard input. Defaults to that of the signal.',
    },
    'delivery-id': {
      type: 'string',
      value: 'ID',
      help: 'Identifies the event, so that it counts once however often it is delivered.',
    },
    'no-wait': {
      type: 'boolean',
      help: 'Create the delivery, print its name and return. This needs no right but to create it.',
    },
    timeout: {
      type: 'string',
      value: 'TIME',
      help: 'How long to wait for the delivery to be accepted. Defaults to 30s.',
    },
    quiet: { type: 'boolean', short: 'q', help: 'Print nothing on success.' },
    ...clusterOptions,
  },
  examples: [
    {
      does: 'deliver a signal once, however often a pipeline repeats the command',
      line: 'agentctl signal released --payload @release.json --delivery-id release-42',
    },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [name = ''] = positionals
      const timeoutMs = parseDuration('--timeout', values.timeout ?? '30s')
      const deliveryId = values['delivery-id']
      // A script whose variable is unset would deliver the event each time.
      if (deliveryId === '') throw usageFailure('--delivery-id is empty')
      const payload = payloadOf(await textArgument(values.payload, context))
      const created = await client.create(
        SignalDeliveryKind,
        {
          metadata: { generateName: `${name}-`, namespace },
          spec: {
            signalRef: { name },
            ...(deliveryId !== undefined && { deliveryId }),
            ...(payload !== undefined && { payload: payload.value }),
          },
        },
        { signal: context.stop },
      )
      const line = values['no-wait']
        ? objectName(created)
        : await outcome(client, created, timeoutMs, context)
      if (!values.quiet) context.stdout.write(`${line}\n`)
      return exitCode.done
    }),
})

type Payload = NonNullable<SignalDelivery['spec']['payload']>

function payloadOf(text: string | undefined): { readonly value: Payload } | undefined {
  if (text === undefined) return undefined
  const value = parsed(text)
  if (value === undefined) {
    throw usageFailure(
      '--payload is not valid JSON',
      `A text is JSON in double quotes: --payload '"done"'`,
    )
  }
  return { value }
}

/** Undefined if it is no JSON. The message of the parser quotes the payload, which may be confidential. */
function parsed(text: string): Payload | undefined {
  try {
    return parseJson(text) as Payload
  } catch {
    return undefined
  }
}

/** Resolves to a line about an accepted delivery, or one whose event was delivered before. */
async function outcome(
  client: KubeClient,
  delivery: SignalDelivery,
  timeoutMs: number,
  context: CommandContext,
): Promise<string> {
  const { name } = delivery.metadata
  const advice: string[] = []
  const waits = { what: `signaldelivery/${name} to be accepted`, advice }
  const judged = (current: SignalDelivery | undefined): string | undefined => {
    if (current === undefined) {
      throw new CommandFailure(`signaldelivery/${name} was deleted while waiting for it`)
    }
    const accepted = conditionOf(current, 'Accepted')
    if (accepted?.status === 'True') return `${objectName(current)} delivered`
    const problem = accepted && `${accepted.reason}, ${accepted.message}`
    advice.splice(
      0,
      advice.length,
      ...(problem === undefined ? [] : [problem]),
      `The delivery continues to wait. To take it back: agentctl delete signaldelivery ${name}`,
    )
    if (!isFinished(current.status?.conditions)) return undefined
    if (accepted?.reason === 'Duplicate')
      return `the event was delivered before: ${accepted.message}`
    throw new CommandFailure(`signaldelivery/${name} was not accepted: ${problem}`)
  }
  return await stoppable(context, Math.max(timeoutMs, 1000), waits, (signal) =>
    observe(client, SignalDeliveryKind, delivery.metadata, judged, signal),
  )
}
