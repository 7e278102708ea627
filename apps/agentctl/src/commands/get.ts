import { isNotFound, type KindRef, type KubeClient, type KubeObject, kindRef } from '@agents/kube'
import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import type { World } from '../cli/world.ts'
import { clusterOptions, outputOption } from '../cluster/cluster-options.ts'
import { findKind, platformKinds } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import {
  fetchTable,
  renderTable,
  type ServerTable,
  type TableLook,
} from '../cluster/server-table.ts'
import { type ObjectFormat, showObjects } from '../cluster/show-objects.ts'
import { watchTable } from '../cluster/watch-table.ts'

export const getCommand = defineCommand({
  name: 'get',
  summary: 'List objects of a kind, or some of them by name',
  about:
    'Kinds go by plural, singular or short name; commas join several. "all" is every kind of the platform.',
  arguments: [
    { name: 'KIND', offers: 'kind' },
    { name: 'NAME', optional: true, rest: true, offers: 'object' },
  ],
  options: {
    'all-namespaces': { type: 'boolean', short: 'A', help: 'Of all namespaces.' },
    selector: {
      type: 'string',
      short: 'l',
      value: 'LABELS',
      help: 'Only those with these labels, such as team=web.',
    },
    watch: { type: 'boolean', short: 'w', help: 'Go on showing what changes.' },
    'no-headers': { type: 'boolean', help: 'Leave the heading out.' },
    ...outputOption,
    ...clusterOptions,
  },
  examples: [
    { does: 'the runs of the namespace', line: 'agentctl get runs' },
    { does: 'one run, all of it', line: 'agentctl get run first-run -o yaml' },
    { does: 'watch runs of all namespaces', line: 'agentctl get runs -A -w' },
  ],
  run: ({ values, positionals }, world) =>
    withCluster(values, world, async ({ client, namespace }) => {
      const [word = '', ...named] = positionals
      const scope: Scope = {
        client,
        names: named,
        namespace: values['all-namespaces'] ? undefined : namespace,
        labelSelector: values.selector,
      }
      const look = {
        wide: values.output === 'wide',
        namespaces: values['all-namespaces'],
        headers: !values['no-headers'],
      }
      const isSeveral = word === 'all' || word.includes(',')
      if (values.watch) checkWatch(values.output, isSeveral || named.length > 1)
      if (isSeveral) return await getSeveral(word, scope, look, values.output, world)
      const kind = await findKind(word, client)
      if (values.watch) {
        await watchTable(client, kind, { ...scope, name: named[0] }, look, world)
        return exitCode.interrupted
      }
      return values.output === undefined || values.output === 'wide'
        ? await getTable(kind, scope, look, world)
        : await getObjects(kind, scope, values.output as ObjectFormat, world)
    }),
})

interface Scope {
  readonly client: KubeClient
  readonly names: readonly string[]
  readonly namespace: string | undefined
  readonly labelSelector: string | undefined
}

function checkWatch(output: string | undefined, isSeveral: boolean): void {
  if (isSeveral) throw usageFailure('only one object, or a whole kind, can be watched')
  if (output === undefined || output === 'wide') return
  throw usageFailure(`what is watched is shown as a table: leave -o ${output} or -w out`)
}

async function getTable(kind: KindRef, scope: Scope, look: TableLook, world: World) {
  const table = await tableOf(kind, scope)
  if ((table.rows ?? []).length === 0) {
    const place =
      kind.namespaced && scope.namespace !== undefined ? ` in namespace ${scope.namespace}` : ''
    const such = scope.labelSelector === undefined ? '' : ` with ${scope.labelSelector}`
    world.stderr.write(`There are no ${kind.plural}${such}${place}.\n`)
    return exitCode.done
  }
  world.stdout.write(renderTable(table, look))
  return exitCode.done
}

async function tableOf(kind: KindRef, { client, names, ...scope }: Scope): Promise<ServerTable> {
  if (names.length === 0) return await fetchTable(client, kind, scope)
  const tables = await Promise.all(
    names.map((name) => fetchTable(client, kind, { ...scope, name })),
  )
  const [first] = tables
  return {
    columnDefinitions: first?.columnDefinitions ?? [],
    rows: tables.flatMap(({ rows }) => rows ?? []),
  }
}

async function getObjects(kind: KindRef, scope: Scope, format: ObjectFormat, world: World) {
  const objects = await objectsOf(kind, scope)
  world.stdout.write(showObjects(objects, format, scope.names.length === 1))
  return exitCode.done
}

async function objectsOf(kind: KindRef, { client, names, ...scope }: Scope): Promise<KubeObject[]> {
  const namespace = kind.namespaced ? scope.namespace : undefined
  if (names.length > 0) {
    return await Promise.all(names.map((name) => client.get(kind, { namespace, name })))
  }
  const found: KubeObject[] = []
  for await (const object of client.each(kind, { ...scope, namespace })) found.push(object)
  return found
}

/** `all`, or kinds with commas in between. */
async function getSeveral(
  word: string,
  scope: Scope,
  look: TableLook,
  format: string | undefined,
  world: World,
) {
  const isAll = word === 'all'
  if (isAll && scope.names.length > 0) {
    throw usageFailure('names need a kind: agentctl get KIND NAME, or KIND/NAME')
  }
  const kinds = isAll
    ? platformKinds.map((kind) => kindRef(kind))
    : await Promise.all(word.split(',').map((each) => findKind(each, scope.client)))
  // A cluster may have only some of the kinds.
  const served = <T>(asked: Promise<T>, otherwise: T): Promise<T> =>
    asked.catch((error: unknown) => {
      if (isAll && isNotFound(error)) return otherwise
      throw error
    })
  if (format !== undefined && format !== 'wide') {
    const found = await Promise.all(kinds.map((kind) => served(objectsOf(kind, scope), [])))
    world.stdout.write(showObjects(found.flat(), format as ObjectFormat, false))
    return exitCode.done
  }
  const none: ServerTable = { columnDefinitions: [], rows: [] }
  const tables = await Promise.all(kinds.map((kind) => served(tableOf(kind, scope), none)))
  const texts = tables.flatMap((table, index) => {
    const { kind = '', group = '' } = kinds[index] ?? {}
    const prefix = `${[kind.toLowerCase(), group].filter(Boolean).join('.')}/`
    return (table.rows ?? []).length === 0 ? [] : [renderTable(table, { ...look, prefix })]
  })
  if (texts.length === 0) {
    const what = isAll ? 'nothing of the platform' : `none of ${word}`
    world.stderr.write(
      `There is ${what} here${scope.labelSelector === undefined ? ' yet' : ` with ${scope.labelSelector}`}.\n`,
    )
  }
  world.stdout.write(texts.join('\n'))
  return exitCode.done
}
