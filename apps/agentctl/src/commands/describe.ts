import { defineCommand } from '../cli/command.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { eventsOf } from '../cluster/events-of.ts'
import { findKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { childrenOf } from '../describe/children-of.ts'
import { renderDescription } from '../describe/render-description.ts'

export const describeCommand = defineCommand({
  arguments: [
    { name: 'KIND', offers: 'kind' },
    { name: 'NAME', rest: true, offers: 'object' },
  ],
  options: clusterOptions,
  examples: [{ does: 'show a run', line: 'agentctl describe run first-run' }],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [word = '', ...names] = positionals
      const kind = await findKind(word, client)
      const texts: string[] = []
      for (const name of names) {
        const object = await client.get(
          kind,
          { namespace: kind.namespaced ? namespace : undefined, name },
          { signal: context.stop },
        )
        const [children, events] = await Promise.all([
          childrenOf(client, object, context.stop),
          eventsOf(client, object, context.stop),
        ])
        texts.push(
          renderDescription({ object, children, events }, context.stdout.style, context.now()),
        )
      }
      context.stdout.write(texts.join('\n'))
      return exitCode.done
    }),
})
