import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ImplementationSource } from '@agents/jangar-api'
import { type KubeClient, kindRef, type ObjectKey } from '@agents/kube'
import { actOnEach } from '../cli/act-on-each.ts'
import { defineCommand } from '../cli/command.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { platformKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'

const SourceKind = kindRef<ImplementationSource>(platformKind('ImplementationSource'))
const annotation = 'agents.proompteng.ai/sync-requested'
const longestMs = 120_000
const pauseMs = 250

export const sourceCommand = defineCommand({
  about:
    'sync lists the issues of a source now, as its spec.vcsRef says, and waits for the result. What webhooks have missed is imported.',
  arguments: [
    { name: 'sync', offers: ['sync'] },
    { name: 'SOURCE', rest: true, offers: { namesOf: 'implementationsources' } },
  ],
  options: {
    'no-wait': { type: 'boolean', help: 'Ask for the list, and return.' },
    ...clusterOptions,
  },
  examples: [{ does: 'import what webhooks have missed', line: 'agentctl source sync issues' }],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [word = '', ...names] = positionals
      if (word !== 'sync') {
        throw usageFailure(`unknown subcommand ${JSON.stringify(word)}: use agentctl source sync`)
      }
      if (names.length === 0) {
        throw usageFailure(
          'the name of an ImplementationSource is missing: agentctl source sync NAME',
        )
      }
      return await actOnEach(names, context, async (name) => {
        const key = { namespace, name }
        const request = await requestList(client, key, context.stop)
        const line = values['no-wait']
          ? `${name} will be listed`
          : await listed(client, key, request, context.stop)
        context.stdout.write(`${line}\n`)
      })
    }),
})

async function requestList(
  client: KubeClient,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<string> {
  const { spec } = await client.get(SourceKind, key, { signal })
  if (spec.vcsRef === undefined) {
    throw new CommandFailure(`ImplementationSource ${key.name} lists no issues`, {
      advice: ['Set spec.vcsRef and spec.scope.repository.'],
    })
  }
  const request = randomUUID()
  const body = { metadata: { annotations: { [annotation]: request } } }
  await client.patch(SourceKind, key, { type: 'merge', body }, { signal })
  return request
}

/** Resolves to a line about the list. */
async function listed(
  client: KubeClient,
  key: ObjectKey,
  request: string,
  signal: AbortSignal,
): Promise<string> {
  for (let waitedMs = 0; waitedMs < longestMs; waitedMs += pauseMs) {
    const { status } = await client.get(SourceKind, key, { signal })
    const last = status?.lastSync
    if (last?.request === request) {
      if (last.error !== undefined) {
        throw new CommandFailure(`the issues of ${key.name} were not listed: ${last.error}`)
      }
      const { issues = 0 } = last
      const counted = `${issues} open ${issues === 1 ? 'issue' : 'issues'}`
      return `${key.name} is listed: ${counted} in the scope`
    }
    await delay(pauseMs, undefined, { signal })
  }
  throw new CommandFailure(`the issues of ${key.name} were not listed in ${longestMs / 1000} s`, {
    advice: [`agentctl describe implementationsource ${key.name}`],
  })
}
