import { setTimeout as delay } from 'node:timers/promises'
import { isExpired, isUnreachable, type KindRef, type KubeClient, parseJson } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import {
  fetchTable,
  renderTable,
  type ServerTable,
  type TableFormat,
  type TableRequest,
  tablePath,
  tableType,
} from './server-table.ts'

const pauseMs = 1000

/** Shows the table, then a row for every change, until it is stopped. */
export async function watchTable(
  client: KubeClient,
  kind: KindRef,
  { name, ...request }: TableRequest,
  format: TableFormat,
  { stdout, stop }: Pick<CommandContext, 'stdout' | 'stop'>,
): Promise<void> {
  const scope = {
    ...request,
    ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
    signal: stop,
  }
  let headers = format.headers
  const widths: number[] = []
  let from: string | undefined
  while (!stop.aborted) {
    try {
      if (from === undefined) {
        const table = await fetchTable(client, kind, scope)
        stdout.write(renderTable(table, { ...format, headers, widths }))
        headers = false
        from = table.metadata?.resourceVersion
      }
      for await (const { table, revision } of changes(client, kind, scope, from)) {
        stdout.write(renderTable(table, { ...format, headers: false, widths }))
        from = revision ?? from
      }
    } catch (error) {
      if (stop.aborted) return
      if (isExpired(error)) from = undefined
      else if (!isUnreachable(error)) throw error
      await delay(pauseMs, undefined, { signal: stop }).catch(() => undefined)
    }
  }
}

async function* changes(
  client: KubeClient,
  kind: KindRef,
  scope: TableRequest,
  from: string | undefined,
) {
  const more = { watch: 'true', ...(from !== undefined && { resourceVersion: from }) }
  const stream = await client.stream({
    path: tablePath(kind, scope, more),
    accept: tableType,
    signal: scope.signal,
  })
  // Cells of later events come without the names of their columns.
  let columnDefinitions: ServerTable['columnDefinitions'] = []
  let text = ''
  for await (const chunk of stream.chunks) {
    const lines = (text + chunk.toString('utf8')).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const event = parseJson(line) as { type: string; object: ServerTable }
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED' && event.type !== 'DELETED') continue
      if (event.object.columnDefinitions?.length > 0) ({ columnDefinitions } = event.object)
      const revision = event.object.rows?.at(-1)?.object?.metadata.resourceVersion
      yield { table: { ...event.object, columnDefinitions }, revision }
    }
  }
}
