import { isNotFound, type KindRef, type KubeClient, type ObjectKey } from '@agents/kube'
import { actOnEach } from '../cli/act-on-each.ts'
import { defineCommand } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { parseDuration } from '../cli/duration.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { findKind } from '../cluster/known-kinds.ts'
import { observe } from '../cluster/observe.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { stoppable } from '../cluster/stoppable.ts'

export const deleteCommand = defineCommand({
  about: 'This cannot be undone. The command returns when the objects are deleted.',
  arguments: [
    { name: 'KIND', offers: 'kind' },
    { name: 'NAME', optional: true, rest: true, offers: 'object' },
  ],
  options: {
    selector: {
      type: 'string',
      short: 'l',
      value: 'LABELS',
      help: 'Delete the objects that this label selector selects, such as team=web.',
    },
    'no-wait': { type: 'boolean', help: 'Request the deletion and return at once.' },
    timeout: {
      type: 'string',
      value: 'TIME',
      help: 'How long to wait for the deletion of each object. Defaults to 60s.',
    },
    quiet: { type: 'boolean', short: 'q', help: 'Print nothing on success.' },
    ...clusterOptions,
  },
  examples: [
    { does: 'delete a run', line: 'agentctl delete run first-run' },
    { does: 'delete the runs of a team', line: 'agentctl delete runs -l team=web' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [word = '', ...named] = positionals
      const { selector } = values
      if ((named.length === 0) === (selector === undefined)) {
        throw usageFailure(
          'either names or a selector are required: agentctl delete KIND NAME, or -l LABELS',
        )
      }
      const waitMs = parseDuration('--timeout', values.timeout ?? '60s')
      const kind = await findKind(word, client)
      const place = { namespace: kind.namespaced ? namespace : undefined }
      const names =
        selector === undefined
          ? named
          : await selected(client, kind, { ...place, selector }, context)
      if (names.length === 0) context.stderr.write(`No ${kind.plural} with ${selector} found.\n`)
      const awaitedMs = values['no-wait'] ? undefined : waitMs
      return await actOnEach(names, context, async (name) => {
        await deleteOne(client, kind, { ...place, name }, context, awaitedMs)
        const done = values['no-wait'] ? 'is being deleted' : 'deleted'
        if (!values.quiet) context.stdout.write(`${kind.kind.toLowerCase()}/${name} ${done}\n`)
      })
    }),
})

async function selected(
  client: KubeClient,
  kind: KindRef,
  { namespace, selector }: { readonly namespace: string | undefined; readonly selector: string },
  context: CommandContext,
): Promise<string[]> {
  const names: string[] = []
  const options = { namespace, labelSelector: selector, signal: context.stop }
  for await (const { metadata } of client.each(kind, options)) names.push(metadata.name)
  return names
}

/** Deletes an object and waits until it no longer exists, unless `waitMs` is undefined. */
async function deleteOne(
  client: KubeClient,
  kind: KindRef,
  key: ObjectKey,
  context: CommandContext,
  waitMs: number | undefined,
): Promise<void> {
  const { uid = '' } = (await client.get(kind, key, { signal: context.stop })).metadata
  await client
    .delete(kind, key, { propagationPolicy: 'Background', preconditions: { uid } })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  if (waitMs === undefined) return
  const waits = {
    what: `the deletion of ${kind.kind.toLowerCase()} ${key.name}`,
    advice: [`agentctl describe ${kind.kind.toLowerCase()} ${key.name} shows its finalizers.`],
  }
  // An object that was created with the same name since then is another one.
  await stoppable(context, waitMs, waits, (signal) =>
    observe(client, kind, key, (object) => object?.metadata.uid !== uid || undefined, signal),
  )
}
