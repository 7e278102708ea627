import { isNotFound, type KindRef, type KubeClient, type KubeObject, kindRef } from '@agents/kube'
import { defineCommand } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions, outputOption } from '../cluster/cluster-options.ts'
import { findKind, platformKinds } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import {
  fetchTable,
  renderTable,
  type ServerTable,
  type TableFormat,
} from '../cluster/server-table.ts'
import { type ObjectFormat, showObjects } from '../cluster/show-objects.ts'
import { type SortOrder, sortItems, sortOrders } from '../cluster/sort-order.ts'
import { watchTable } from '../cluster/watch-table.ts'

export const getCommand = defineCommand({
  about:
    'A kind is given by its plural, singular or short name; several are separated by commas. "all" means every kind of the platform.',
  arguments: [
    { name: 'KIND', offers: 'kind' },
    { name: 'NAME', optional: true, rest: true, offers: 'object' },
  ],
  options: {
    'all-namespaces': { type: 'boolean', short: 'A', help: 'List objects in all namespaces.' },
    selector: {
      type: 'string',
      short: 'l',
      value: 'LABELS',
      help: 'Label selector, such as team=web.',
    },
    watch: { type: 'boolean', short: 'w', help: 'Watch for changes.' },
    'sort-by': {
      type: 'string',
      value: 'ORDER',
      choices: sortOrders,
      help: 'Order of the objects. Defaults to age, the newest first.',
    },
    'no-headers': { type: 'boolean', help: 'Omit the header line.' },
    ...outputOption,
    ...clusterOptions,
  },
  examples: [
    { does: 'list the runs of the namespace', line: 'agentctl get runs' },
    { does: 'show one run as YAML', line: 'agentctl get run first-run -o yaml' },
    { does: 'list agents by name', line: 'agentctl get agents --sort-by name' },
    { does: 'watch runs of all namespaces', line: 'agentctl get runs -A -w' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [word = '', ...named] = positionals
      const scope: Scope = {
        client,
        names: named,
        namespace: values['all-namespaces'] ? undefined : namespace,
        labelSelector: values.selector,
        sortBy: values['sort-by'] as SortOrder | undefined,
      }
      const tableFormat = {
        wide: values.output === 'wide',
        namespaces: values['all-namespaces'],
        headers: !values['no-headers'],
      }
      const isSeveral = word === 'all' || word.includes(',')
      if (values.watch) checkWatch(values.output, isSeveral || named.length > 1)
      if (isSeveral) return await getSeveral(word, scope, tableFormat, values.output, context)
      const kind = await findKind(word, client)
      if (values.watch) {
        await watchTable(client, kind, { ...scope, name: named[0] }, tableFormat, context)
        return exitCode.interrupted
      }
      return values.output === undefined || values.output === 'wide'
        ? await getTable(kind, scope, tableFormat, context)
        : await getObjects(kind, scope, values.output as ObjectFormat, context)
    }),
})

interface Scope {
  readonly client: KubeClient
  readonly names: readonly string[]
  readonly namespace: string | undefined
  readonly labelSelector: string | undefined
  readonly sortBy: SortOrder | undefined
}

function checkWatch(output: string | undefined, isSeveral: boolean): void {
  if (isSeveral) throw usageFailure('--watch supports one object or one kind')
  if (output === undefined || output === 'wide') return
  throw usageFailure(`--watch prints tables only: omit -o ${output} or -w`)
}

async function getTable(
  kind: KindRef,
  scope: Scope,
  tableFormat: TableFormat,
  context: CommandContext,
) {
  const table = await tableOf(kind, scope)
  if ((table.rows ?? []).length === 0) {
    const place =
      kind.namespaced && scope.namespace !== undefined ? ` in namespace ${scope.namespace}` : ''
    const such = scope.labelSelector === undefined ? '' : ` with ${scope.labelSelector}`
    context.stderr.write(`No ${kind.plural}${such} found${place}.\n`)
    return exitCode.done
  }
  context.stdout.write(renderTable(table, tableFormat))
  return exitCode.done
}

async function tableOf(
  kind: KindRef,
  { client, names, sortBy, ...scope }: Scope,
): Promise<ServerTable> {
  if (names.length === 0) {
    const table = await fetchTable(client, kind, scope)
    return { ...table, rows: sortItems(table.rows ?? [], ({ object }) => object?.metadata, sortBy) }
  }
  const tables = await Promise.all(
    names.map((name) => fetchTable(client, kind, { ...scope, name })),
  )
  const [first] = tables
  return {
    columnDefinitions: first?.columnDefinitions ?? [],
    rows: tables.flatMap(({ rows }) => rows ?? []),
  }
}

async function getObjects(
  kind: KindRef,
  scope: Scope,
  format: ObjectFormat,
  context: CommandContext,
) {
  const objects = await objectsOf(kind, scope)
  context.stdout.writeDocument(showObjects(objects, format, scope.names.length === 1))
  return exitCode.done
}

async function objectsOf(
  kind: KindRef,
  { client, names, sortBy, ...scope }: Scope,
): Promise<readonly KubeObject[]> {
  const namespace = kind.namespaced ? scope.namespace : undefined
  if (names.length > 0) {
    return await Promise.all(names.map((name) => client.get(kind, { namespace, name })))
  }
  const found: KubeObject[] = []
  for await (const object of client.each(kind, { ...scope, namespace })) found.push(object)
  return sortItems(found, ({ metadata }) => metadata, sortBy)
}

/** `all`, or kinds with commas in between. */
async function getSeveral(
  word: string,
  scope: Scope,
  tableFormat: TableFormat,
  format: string | undefined,
  context: CommandContext,
) {
  const isAll = word === 'all'
  if (isAll && scope.names.length > 0) {
    throw usageFailure('names require a kind: agentctl get KIND NAME, or KIND/NAME')
  }
  const kinds = isAll
    ? platformKinds.map((kind) => kindRef(kind))
    : await Promise.all(word.split(',').map((each) => findKind(each, scope.client)))
  // The cluster may serve only some of the kinds.
  const served = <T>(pending: Promise<T>, otherwise: T): Promise<T> =>
    pending.catch((error: unknown) => {
      if (isAll && isNotFound(error)) return otherwise
      throw error
    })
  if (format !== undefined && format !== 'wide') {
    const found = await Promise.all(kinds.map((kind) => served(objectsOf(kind, scope), [])))
    context.stdout.writeDocument(showObjects(found.flat(), format as ObjectFormat, false))
    return exitCode.done
  }
  const none: ServerTable = { columnDefinitions: [], rows: [] }
  const tables = await Promise.all(kinds.map((kind) => served(tableOf(kind, scope), none)))
  const texts = tables.flatMap((table, index) => {
    const { kind = '', group = '' } = kinds[index] ?? {}
    const prefix = `${[kind.toLowerCase(), group].filter(Boolean).join('.')}/`
    return (table.rows ?? []).length === 0 ? [] : [renderTable(table, { ...tableFormat, prefix })]
  })
  if (texts.length === 0) {
    const what = isAll ? 'nothing of the platform' : `none of ${word}`
    context.stderr.write(
      `There is ${what} here${scope.labelSelector === undefined ? ' yet' : ` with ${scope.labelSelector}`}.\n`,
    )
  }
  context.stdout.write(texts.join('\n'))
  return exitCode.done
}
